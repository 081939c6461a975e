/** What watching asks of the system, so that tests can stand in for it. */

/** One event; paths are only hints. */
export interface WatchEvent {
  readonly kind: string;
  readonly paths: readonly string[];
  readonly flag?: string | null | undefined;
}

/** An open watch. */
export interface OpenWatch extends AsyncIterable<WatchEvent> {
  close(): void;
}

/** The effects. Each file system call throws as Deno's do. */
export interface WatchEffects {
  /** Watches the directories themselves, not what lies below them. */
  watch(paths: readonly string[]): OpenWatch;
  realPath(path: string): string;
  /** Tells one directory from another that took its place; throws if none. */
  identity(path: string): string;
  /** When entries of the directory last came or went; throws if none. */
  touched(path: string): number | undefined;
  /** Milliseconds that only grow. */
  now(): number;
  /** Runs once, after so many milliseconds; returns how to stop it. */
  after(ms: number, run: () => void): () => void;
}

/** The real ones. */
export function systemEffects(): WatchEffects {
  return {
    watch: (paths) => Deno.watchFs([...paths], { recursive: false }),
    realPath: Deno.realPathSync,
    identity: (path) => {
      const { dev, ino, birthtime, isDirectory } = Deno.statSync(path);
      if (!isDirectory) throw new Deno.errors.NotADirectory(path);
      // A number of an inode is given out again at once on some file systems.
      return `${dev}:${ino}:${birthtime?.getTime() ?? ""}`;
    },
    touched: (path) => Deno.statSync(path).mtime?.getTime(),
    now: () => performance.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      // What only waits for changes keeps no process alive.
      Deno.unrefTimer(timer);
      return () => clearTimeout(timer);
    },
  };
}
