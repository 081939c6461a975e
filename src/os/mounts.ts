/** What a bubblewrap sandbox shows, and where. Pure. */

import { isWithin } from "../base/place.ts";
import type { BwrapLayer, Library, View } from "./types.ts";

/** Where the runtime lies inside. */
export const RUNTIME_AT = "/usr/bin/deno";
/** Where the program that bounds processes lies inside. */
export const PRLIMIT_AT = "/usr/bin/prlimit";
/** Where the socket of the run's proxy lies inside. */
export const PROXY_SOCKET_AT = "/run/skillfence/proxy.sock";
/** Below the run's directory: what Deno's audit lines go to. */
export const AUDIT_FILE = "audit.jsonl";
/** Below the run's directory: the socket of the run's proxy. */
export const PROXY_SOCKET = "proxy/proxy.sock";

const BYTES_PER_MIB = 1024 * 1024;
/** Deno keeps compiled TypeScript and web storage in a file system of this size. */
export const DENODIR_MIB = 64;

/** What names are resolved with, where the host's network is shared. */
export const RESOLVER: readonly string[] = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/host.conf",
  "/etc/gai.conf",
];
/** glibc before 2.34 loads these to resolve a name. */
const RESOLVER_LIBRARIES: readonly string[] = [
  "libnss_files.so.2",
  "libnss_dns.so.2",
  "libresolv.so.2",
];

/** One mount: bubblewrap's arguments for it, and its place inside. */
export interface Mount {
  readonly args: readonly string[];
  readonly to: string;
}

/** Programs and their libraries, devices, and what stands for procfs. */
export function systemMounts(layer: BwrapLayer, view: View): Mount[] {
  const { prlimit } = layer;
  return [
    ...libraries(layer).map(({ from, to }) => bind("--ro-bind", from, to)),
    bind("--ro-bind", view.runtime, RUNTIME_AT),
    ...prlimit === undefined
      ? []
      : [bind("--ro-bind", prlimit.path, PRLIMIT_AT)],
    ...["/dev/null", "/dev/urandom"].map((path) =>
      bind("--dev-bind", path, path)
    ),
    // As root, a procfs would let a script write to /proc/sys (proc(5)), in
    // spite of every namespace. Deno needs no more of it than this link.
    { args: ["--dir", "/proc/self"], to: "/proc/self" },
    bind("--symlink", RUNTIME_AT, "/proc/self/exe"),
    ...view.network === "open" ? resolver(layer) : [],
  ];
}

/** The directories and files of this one run. */
export function runMounts(view: View): Mount[] {
  const { run, scratch, denodir } = view;
  const [handedIn, outputs] = [`${scratch}/in`, `${scratch}/out`];
  const [audit, socket] = [`${run}/${AUDIT_FILE}`, `${run}/${PROXY_SOCKET}`];
  return [
    tmpfs(scratch, view.scratchMiB),
    bind("--ro-bind", handedIn, handedIn),
    bind("--bind", outputs, outputs),
    tmpfs(denodir, DENODIR_MIB),
    bind("--bind", audit, audit),
    ...view.network === "proxy"
      ? [bind("--ro-bind", socket, PROXY_SOCKET_AT)]
      : [],
  ];
}

/**
 * What strangers fill: the skill, workspaces, the data directory. A directory
 * that another one shows anyway is left out, so that no mount lies below any.
 */
export function strangerMounts(view: View): Mount[] {
  const { readOnly, writable } = trees(view);
  return [
    ...outermost(readOnly).map((path) => bind("--ro-bind", path, path)),
    ...outermost(writable).map((path) => bind("--bind", path, path)),
  ];
}

/**
 * Which places of a view lie inside each other so that no sandbox can show both
 * soundly: in words, without paths; undefined when there are none. bubblewrap
 * before 0.12.0 follows links on the way to a mount (GHSA-pxhw-h44j-8pfx), so none
 * may lie below a directory that strangers fill. Placeholders are compared with
 * nothing: ask again with real paths.
 */
export function crossing(layer: BwrapLayer, view: View): string | undefined {
  const { readOnly, writable } = trees(view);
  if (readOnly.some((one) => writable.some((two) => overlap(one, two)))) {
    return "a directory that is only read and one that is written lie inside each other";
  }
  const shared = new Set(libraries(layer).map(({ to }) => to));
  const own = [...systemMounts(layer, view), ...runMounts(view)];
  const taken = own.some(({ to }) =>
    [...readOnly, ...writable].some((tree) =>
      // Below a whole directory of libraries, the system's own, is fine.
      shared.has(to) ? isWithin(to, tree) : overlap(to, tree)
    )
  );
  return taken
    ? "a directory that is opened holds what every script's process needs for itself"
    : undefined;
}

interface Trees {
  readonly readOnly: readonly string[];
  readonly writable: readonly string[];
}

function trees({ skillDir, readable, writable }: View): Trees {
  return { readOnly: [skillDir, ...readable], writable };
}

function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) =>
    !unique.some((other) => other !== path && isWithin(path, other))
  );
}

function overlap(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

/** Each place once; a file within a directory that is shown is left out. */
function libraries({ libraries, prlimit }: BwrapLayer): Library[] {
  const all = [...libraries, ...prlimit?.libraries ?? []];
  const places = outermost(all.map(({ to }) => to));
  return places.map((place) => all.find(({ to }) => to === place)!);
}

function resolver({ libraries }: BwrapLayer): Mount[] {
  const libc = libraries.find(({ to }) => to.endsWith("/libc.so.6"))?.to;
  const beside = libc?.slice(0, libc.lastIndexOf("/"));
  const files = beside === undefined
    ? RESOLVER
    : [...RESOLVER, ...RESOLVER_LIBRARIES.map((name) => `${beside}/${name}`)];
  return files.map((path) => bind("--ro-bind-try", path, path));
}

function bind(option: string, from: string, to: string): Mount {
  return { args: [option, from, to], to };
}

/** `--perms` and `--size` are about the option that follows. */
function tmpfs(to: string, mib: number): Mount {
  const bytes = String(mib * BYTES_PER_MIB);
  return { args: ["--perms", "0700", "--size", bytes, "--tmpfs", to], to };
}
