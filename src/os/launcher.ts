/**
 * The launcher: our own program, started again, which puts Landlock and the
 * system call filter on itself and then becomes the script's process. It needs
 * no namespaces, so it works where bubblewrap is refused.
 */

import { errorName } from "../base/error_name.ts";
import { visible } from "../base/text.ts";
import { cString, CStrings, errorOf, Kernel } from "./kernel.ts";
import { openPath } from "./landlock_abi.ts";
import { landlock } from "./launcher_rules.ts";
import { type LaunchSpec, parseLaunch } from "./launcher_spec.ts";
import {
  fate,
  filter,
  identity,
  inheritance,
  type Step,
} from "./launcher_steps.ts";
import { KERNEL } from "./syscall_numbers.ts";

/** What the launcher ends with when nothing was started. */
const NOT_STARTED = 125;

/** What could not be done, and the error number. */
interface Failure {
  readonly failed: string;
  readonly errno: number;
}

/**
 * Confines this process as its arguments say and executes the command with the
 * environment that this process was started with. When it cannot do all of it,
 * it says so in the status file and on stderr and ends with 125: the command is
 * not started then. The status file holds one line of JSON: `{"started":true}`,
 * or `{"failed":STEP,"errno":NUMBER}`.
 */
export function launch(args: readonly string[]): never {
  const spec = parseLaunch(args);
  if (typeof spec === "string") return end(spec);
  const kernel = new Kernel();
  const flags = KERNEL.O_WRONLY | KERNEL.O_TRUNC | KERNEL.O_APPEND;
  const status = openPath(kernel, spec.status, { follow: false, flags });
  if (status < 0) return end(`status file: ${errorOf(-status)}`);
  const failure = become(kernel, spec, status);
  // That it started was written in advance, and is not so.
  kernel.call("ftruncate", status, 0);
  write(kernel, status, failure);
  return end(`${failure.failed}: ${errorOf(failure.errno)}`);
}

/**
 * Returns only to tell what failed. Rules are put on the calling thread and
 * `execve` ends all others, so that nothing here may wait for anything.
 */
function become(kernel: Kernel, spec: LaunchSpec, status: number): Failure {
  const { rules, restrict } = landlock(kernel, spec);
  const steps: Step[] = [
    // While our own descriptors can still be looked at in /proc.
    ...rules,
    ...identity(kernel, spec),
    ...fate(kernel),
    restrict,
    ...inheritance(kernel),
    filter(kernel, spec),
    ["status file", () => write(kernel, status, { started: true })],
    execution(kernel, spec),
  ];
  for (const [failed, act] of steps) {
    try {
      const result = act();
      if (result < 0) return { failed, errno: -result };
    } catch (error) {
      return {
        failed: `${failed} (${errorName(error)})`,
        errno: KERNEL.EINVAL,
      };
    }
  }
  return { failed: "execve", errno: KERNEL.EINVAL };
}

function execution(kernel: Kernel, { command, set }: LaunchSpec): Step {
  const program = cString(command[0]!);
  const args = new CStrings(command.map(cString));
  const environment = new CStrings(environmentWith(set));
  return [
    "execve",
    () => kernel.call("execve", program, args.pointers, environment.pointers),
  ];
}

/**
 * The block that this process was started with, byte by byte, whatever the
 * runtime does to its own copy; but for the variables in `set`.
 */
function environmentWith(set: readonly string[]): Uint8Array<ArrayBuffer>[] {
  const ours = set.map(cString);
  const block = Deno.readFileSync("/proc/self/environ");
  const variables: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < block.length;) {
    const next = block.indexOf(0, at) + 1;
    if (next === 0) break;
    const variable = block.slice(at, next);
    if (!ours.some((one) => sameName(one, variable))) variables.push(variable);
    at = next;
  }
  return [...variables, ...ours];
}

function sameName(one: Uint8Array, two: Uint8Array): boolean {
  const length = one.indexOf(0x3d) + 1;
  return two.length >= length &&
    one.subarray(0, length).every((byte, at) => byte === two[at]);
}

function write(kernel: Kernel, fd: number, line: unknown): number {
  const bytes = new TextEncoder().encode(`${JSON.stringify(line)}\n`);
  return kernel.call("write", fd, bytes, bytes.length);
}

function end(message: string): never {
  const text = `skillfence: the script was not started: ${visible(message)}\n`;
  Deno.stderr.writeSync(new TextEncoder().encode(text));
  Deno.exit(NOT_STARTED);
}
