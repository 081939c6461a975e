/** With what variables and limits a server's process starts. Pure. */

import type { Config } from "../config/types.ts";
import { UPSTREAM_MARK } from "../config/variables.ts";
import type { Bound, HardLimits } from "../fence/hard_limits.ts";
import type { ProcessLimits } from "../os/wrapper.ts";
import type { GrantedProcess, GrantedServer } from "./granted_server.ts";

/** MiB that a runtime such as node reserves before it does anything. */
const RESERVED_MIB = 2_048;
/** Seconds of processor time: a server lives long. */
const CPU_SECONDS = 3_600;

/** The whole environment of a server's process. */
export function environment(
  server: GrantedServer,
  process: GrantedProcess,
  { home, lang, mark }: {
    readonly home: string;
    readonly lang: string | undefined;
    readonly mark: string;
  },
): Record<string, string> {
  const { transport } = server.expanded;
  return {
    ...server.values,
    ...transport.kind === "stdio" ? transport.env : {},
    // Own names come last: nothing that was granted may stand in for them.
    PATH: process.program.searchPath,
    HOME: home,
    TMPDIR: home,
    LANG: lang ?? "C.UTF-8",
    ...process.dataDir === undefined ? {} : { MCP_DATA_DIR: process.dataDir },
    [UPSTREAM_MARK]: mark,
  };
}

/** Its limits: the owner's ceiling, and never above our own hard ones. */
export function limitsOf(
  ceiling: Config["ceiling"],
  hard: HardLimits,
): ProcessLimits {
  const lower = (wanted: number, bound: Bound, unit = 1) =>
    bound === "unlimited" ? wanted : Math.min(wanted, Math.floor(bound / unit));
  const KIB = 1024;
  return {
    dataKiB: lower((ceiling.memory + RESERVED_MIB) * KIB, hard.dataBytes, KIB),
    fileKiB: lower(ceiling.file * KIB, hard.fileBytes, KIB),
    cpuSeconds: lower(Math.max(ceiling.cpu, CPU_SECONDS), hard.cpuSeconds),
    openFiles: lower(ceiling.open, hard.openFiles),
  };
}
