/** Which processes live, by what they were started with. */

/** Command lines of other living processes that hold the word. */
export function holding(word: string): string[] {
  const found: string[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === Deno.pid) continue;
    try {
      const line = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      if (line.includes(word)) found.push(line.replaceAll("\0", " "));
    } catch {
      // Gone meanwhile.
    }
  }
  return found;
}
