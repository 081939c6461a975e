/** The children of a process, as Linux lists them. */

/**
 * Numbers of the living and dead children of `pid`, adopted ones included; none
 * where nothing can be read. A kernel without the lists of
 * proc_pid_task_children(5) is asked about every process.
 */
export function childrenOf(pid: number): number[] {
  const threads = names(`/proc/${pid}/task`);
  const lists = threads.map((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
  );
  // One list may be missing: its thread has ended.
  if (threads.length > 0 && lists.every((list) => list === undefined)) {
    return names("/proc").map(Number).filter((other) =>
      other > 0 && parentOf(other) === pid
    );
  }
  return lists.flatMap((list) =>
    (list ?? "").split(" ").filter((word) => word !== "").map(Number)
  );
}

/**
 * Fields of `/proc/<pid>/stat` from the third on (state, parent, ...); empty
 * when there is no such process. The second, the name, may hold anything.
 */
export function statFields(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
}

function parentOf(pid: number): number {
  return Number(statFields(pid)[1]);
}

function names(dir: string): string[] {
  try {
    return [...Deno.readDirSync(dir)].map(({ name }) => name);
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
