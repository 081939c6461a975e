/** Reading a bubblewrap command line back, by bubblewrap's own rules. */

/** How many values follow an option, per bwrap(1). */
const VALUES: Readonly<Record<string, number>> = {
  "--seccomp": 1,
  "--json-status-fd": 1,
  "--unshare-user": 0,
  "--unshare-all": 0,
  "--disable-userns": 0,
  "--share-net": 0,
  "--die-with-parent": 0,
  "--new-session": 0,
  "--as-pid-1": 0,
  "--cap-drop": 1,
  "--hostname": 1,
  "--ro-bind": 2,
  "--ro-bind-try": 2,
  "--bind": 2,
  "--dev-bind": 2,
  "--dir": 1,
  "--symlink": 2,
  "--perms": 1,
  "--size": 1,
  "--tmpfs": 1,
  "--chdir": 1,
  "--remount-ro": 1,
};

/** One option with its values. */
export interface Option {
  readonly name: string;
  readonly values: readonly string[];
}

/** A command line, taken apart. */
export interface Parsed {
  readonly program: string;
  readonly options: readonly Option[];
  /** What bubblewrap starts. */
  readonly command: readonly string[];
}

/** Takes a command line apart as bubblewrap does; an unknown option throws. */
export function parseBwrap(argv: readonly string[]): Parsed {
  const [program, ...rest] = argv;
  const options: Option[] = [];
  let at = 0;
  while (rest[at]?.startsWith("--") && rest[at] !== "--") {
    const name = rest[at]!;
    const count = VALUES[name];
    if (count === undefined) throw new Error(`unknown option ${name}`);
    options.push({ name, values: rest.slice(at + 1, at + 1 + count) });
    at += 1 + count;
  }
  if (rest[at] !== "--") throw new Error(`stray argument ${rest[at]}`);
  return { program: program!, options, command: rest.slice(at + 1) };
}

/** The places at which something is mounted or made, in order. */
export function destinations({ options }: Parsed): string[] {
  return options.flatMap(({ name, values }) => {
    switch (name) {
      case "--tmpfs":
      case "--dir":
        return [values[0]!];
      case "--ro-bind":
      case "--ro-bind-try":
      case "--bind":
      case "--dev-bind":
      case "--symlink":
        return [values[1]!];
      default:
        return [];
    }
  });
}
