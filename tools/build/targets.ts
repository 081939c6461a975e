/** The platforms a binary is made for, and where their runtime comes from. */

import { BuildError } from "./build_error.ts";
import type { NpmPackage } from "./npm_pack.ts";

/** Version of Deno that builds, that is carried, and that the tests pin. */
export const RUNTIME_VERSION = "2.9.6";

/** One platform, by its target triple. */
export interface Target {
  readonly triple: string;
  /** npm package that ships `deno` for it. */
  readonly runtime: NpmPackage;
  /** Path of the runtime inside that package. */
  readonly runtimePath: string;
  /** `.exe` or nothing. */
  readonly suffix: string;
  /** The runtime is appended to the base binary instead of embedded in it. */
  readonly appends: boolean;
}

/** The integrity of every tarball was read from the registry for 2.9.6. */
export const TARGETS: readonly Target[] = [
  target(
    "x86_64-unknown-linux-gnu",
    "linux-x64-glibc",
    "sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==",
  ),
  target(
    "aarch64-unknown-linux-gnu",
    "linux-arm64-glibc",
    "sha512-poqhoH9B3nYloigEMPT5t8HY+wBeiuea1An5Q7fqgJzP0SYmWsoS/oUnWO/pEiA4ofzIBy1Elt/in58xKtxEoQ==",
  ),
  target(
    "x86_64-apple-darwin",
    "darwin-x64",
    "sha512-tPi3CWPRdjW1MaWlvWjORE7Ass5SADdWdj1BF1Q1PEdzi+5u/mC5YhmZzniMiPr81PpaFeqjXaLAsfb8lFsZ0Q==",
  ),
  target(
    "aarch64-apple-darwin",
    "darwin-arm64",
    "sha512-V8uO1Aolrl/yvdMb5lOtgtigs8YuZBjrOrgviVMiYkQ0swymFfzkae1wZak4Xi24t7vf7d/eiMb/7ryjjVm+tg==",
  ),
  target(
    "x86_64-pc-windows-msvc",
    "win32-x64",
    "sha512-qRGnmVz/Ea6UWPht/S3xFRK17UZ/ls38DSVfgGB17fpASLxPkksqzWUI/BzL9YYoOknYzfc94mySGyInZu/JXw==",
  ),
  target(
    "aarch64-pc-windows-msvc",
    "win32-arm64",
    "sha512-iHSHs89g2Uy6k0bGHmXkgzTIW8WXImYPpvqRRO/zNsK1/N79PcjvAth1TuQatuIALcLdocstPs/PAYtndbfr0A==",
  ),
];

/** The target of this name; by default the one this machine is. */
export function findTarget(triple: string = Deno.build.target): Target {
  const found = TARGETS.find((one) => one.triple === triple);
  if (found !== undefined) return found;
  const known = TARGETS.map((one) => one.triple).join(", ");
  throw new BuildError(`unknown target "${triple}": one of ${known}`);
}

function target(triple: string, platform: string, integrity: string): Target {
  const suffix = triple.includes("windows") ? ".exe" : "";
  return {
    triple,
    runtime: { name: `@deno/${platform}`, version: RUNTIME_VERSION, integrity },
    runtimePath: `package/deno${suffix}`,
    suffix,
    appends: triple.includes("linux"),
  };
}
