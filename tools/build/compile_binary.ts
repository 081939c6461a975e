/** From sources to one executable that carries its own runtime. */

import { dirname, join } from "node:path";
import type { Carried } from "../../src/fence/carried.ts";
import { PACKED_SUFFIX, treeDigest } from "../../src/fence/unpack_tree.ts";
import { walkFiles } from "../walk_files.ts";
import { type Base, type BaseKind, officialBase, offlineBase } from "./base.ts";
import { BuildError } from "./build_error.ts";
import { bundle, ENTRY } from "./bundle.ts";
import { packedTarball } from "./npm_pack.ts";
import { runDeno } from "./run_deno.ts";
import { sha256 } from "./sources.ts";
import { fileFromTarball } from "./tar.ts";
import { RUNTIME_VERSION, type Target } from "./targets.ts";

/** What to build, and where from. */
export interface CompileOptions {
  /** The project, absolute. */
  readonly root: string;
  readonly target: Target;
  readonly base: BaseKind;
  /** Absolute path of the executable to write; replaced when it exists. */
  readonly output: string;
  /** Where tarballs and `DENO_DIR`s are kept between builds. */
  readonly cacheDir: string;
  /** Told what is being done, one line at a time. */
  readonly onStep: (line: string) => void;
}

/**
 * Builds one executable. The new file takes its name only when it is whole and
 * its carried runtime was found where its constants say.
 *
 * @throws {BuildError} when a step fails; nothing is written then.
 */
export async function compileBinary(options: CompileOptions): Promise<void> {
  const { root, target, cacheDir, onStep } = options;
  if (Deno.version.deno !== RUNTIME_VERSION) {
    throw new BuildError(
      `built with Deno ${RUNTIME_VERSION} only, this is ${Deno.version.deno}: ` +
        `npx -y deno@${RUNTIME_VERSION} task compile`,
    );
  }
  const buildDir = join(root, "dist", "build");
  await Deno.mkdir(buildDir, { recursive: true });
  const workDir = await Deno.makeTempDir({ dir: buildDir });
  try {
    onStep(`base: ${options.base}`);
    const base = options.base === "offline"
      ? await offlineBase(target, cacheDir, workDir)
      : await officialBase(target, cacheDir, workDir);
    onStep(`runtime: ${target.runtime.name}@${target.runtime.version}`);
    const runtime = fileFromTarball(
      await packedTarball(target.runtime, cacheDir),
      target.runtimePath,
    );
    const stage = join(workDir, "stage");
    await Deno.mkdir(stage);
    const skills = join(root, "skills");
    const carried: Carried = {
      kind: target.appends ? "appended" : "included",
      // The base is copied first and whole, so that the runtime begins where
      // the base ends; checked in the finished file below.
      offset: base.denort?.length ?? 0,
      size: runtime.length,
      sha256: sha256(runtime),
      version: RUNTIME_VERSION,
      skillsSha256: await treeDigest(skills),
    };
    onStep("bundle");
    await bundle(root, carried, stage, workDir);
    await packTree(skills, join(stage, "skills"));
    onStep(`compile for ${target.triple}`);
    const built = join(workDir, `skillfence${target.suffix}`);
    await compile({ base, target, runtime, stage, built, workDir });
    if (target.appends) await checkAppended(built, carried);
    await Deno.mkdir(dirname(options.output), { recursive: true });
    await Deno.rename(built, options.output);
  } finally {
    await Deno.remove(workDir, { recursive: true });
  }
}

interface CompileStep {
  readonly base: Base;
  readonly target: Target;
  readonly runtime: Uint8Array;
  readonly stage: string;
  readonly built: string;
  readonly workDir: string;
}

async function compile(step: CompileStep): Promise<void> {
  const { base, target, runtime, stage, built, workDir } = step;
  const env: Record<string, string> = { DENO_DIR: base.denoDir };
  const include = ["--include", "skills"];
  if (base.denort !== undefined && target.appends) {
    const path = join(workDir, "base");
    await Deno.writeFile(path, base.denort, { mode: 0o755 });
    await Deno.writeFile(path, runtime, { append: true });
    env["DENORT_BIN"] = path;
  } else {
    const name = `deno${target.suffix}`;
    await Deno.mkdir(join(stage, "runtime"));
    await Deno.writeFile(join(stage, "runtime", name), runtime);
    include.push("--include", `runtime/${name}`);
  }
  await runDeno(
    // deno-fmt-ignore
    ["compile", "--quiet", "--no-config", "--no-lock", "--no-check",
      "--no-remote", "--no-npm", "--no-code-cache", "--no-prompt",
      "--v8-flags=--lite-mode", "--allow-all", "--target", target.triple,
      ...include, "--output", built, ENTRY],
    { deno: base.compiler, cwd: stage, env },
  );
}

async function checkAppended(
  path: string,
  carried: Carried,
): Promise<void> {
  using file = await Deno.open(path);
  await file.seek(carried.offset, Deno.SeekMode.Start);
  const bytes = new Uint8Array(carried.size);
  let filled = 0;
  while (filled < bytes.length) {
    const read = await file.read(bytes.subarray(filled));
    if (read === null) break;
    filled += read;
  }
  if (sha256(bytes) === carried.sha256) return;
  throw new BuildError(
    `the runtime is not at ${carried.offset} of the compiled file: ` +
      "this deno compile does not keep what its base ends with",
  );
}

async function packTree(from: string, to: string): Promise<void> {
  for await (const path of walkFiles(from)) {
    const target = join(to, `${path}${PACKED_SUFFIX}`);
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.copyFile(join(from, path), target);
  }
}
