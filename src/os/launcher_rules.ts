/** The launcher's Landlock rules. */

import type { Kernel } from "./kernel.ts";
import {
  ABI_NEEDED,
  allowBeneath,
  createRuleset,
  landlockAbi,
  openPath,
  RIGHTS,
} from "./landlock_abi.ts";
import type { LaunchSpec, PathRule } from "./launcher_spec.ts";
import type { Step } from "./launcher_steps.ts";
import { KERNEL } from "./syscall_numbers.ts";

/**
 * The ruleset, rule by rule, and the step that puts it in force. A named path
 * that is not there, or that a link leads to, is a failure (ELOOP); one of the
 * system's that is not there is not.
 */
export function landlock(
  kernel: Kernel,
  { network, rules, system }: LaunchSpec,
): { rules: Step[]; restrict: Step } {
  const ip = network === "open";
  let abi = 0;
  let ruleset = -1;
  const named = ({ right, path }: PathRule): Step => [
    `${right} ${path}`,
    () => {
      const fd = openPath(kernel, path, { follow: false });
      if (fd < 0) return fd;
      // Only the very place that was named, by no link anywhere on the way.
      if (Deno.readLinkSync(at(fd)) !== path) return -KERNEL.ELOOP;
      return allow(kernel, ruleset, fd, right);
    },
  ];
  const ofSystem = (path: string): Step => [
    `system ${path}`,
    () => {
      const fd = openPath(kernel, path, { follow: true });
      return fd < 0 ? 0 : allow(kernel, ruleset, fd, "ro");
    },
  ];
  return {
    rules: [
      ["landlock", () => abi = landlockAbi(kernel)],
      ["landlock abi", () => abi < ABI_NEEDED ? -KERNEL.EOPNOTSUPP : abi],
      ["landlock rules", () => ruleset = createRuleset(kernel, { abi, ip })],
      ...rules.map(named),
      ...system.map(ofSystem),
    ],
    restrict: [
      "landlock_restrict_self",
      () => kernel.call("landlock_restrict_self", ruleset, 0),
    ],
  };
}

function allow(
  kernel: Kernel,
  ruleset: number,
  fd: number,
  right: keyof typeof RIGHTS,
): number {
  const { isDirectory, isSymlink } = Deno.statSync(at(fd));
  if (isSymlink) return -KERNEL.ELOOP;
  return allowBeneath(kernel, ruleset, {
    fd,
    isDirectory,
    rights: RIGHTS[right],
  });
}

function at(fd: number): string {
  return `/proc/self/fd/${fd}`;
}
