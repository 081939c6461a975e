/** The process of a run, started without the server around it. */

import { join } from "node:path";
import { fillIn } from "../../src/fence/fill_in.ts";

/** The parts of a Plan that make up its command line. */
export interface PlanCommand {
  readonly flags: readonly string[];
  readonly argv: readonly string[];
  readonly cwd: string;
}

/**
 * Starts the child that a Plan describes, with fresh directories of its own,
 * and returns the milliseconds from start to end; making and removing the
 * directories is not counted.
 */
export async function bareChild(
  runtime: string,
  plan: PlanCommand,
): Promise<number> {
  const work = await Deno.makeTempDir();
  try {
    const scratch = join(work, "scratch");
    const denodir = join(work, "denodir");
    for (const dir of ["in", "out"]) {
      await Deno.mkdir(join(scratch, dir), { recursive: true });
    }
    await Deno.mkdir(denodir);
    const command = new Deno.Command(runtime, {
      args: fillIn(plan.flags, plan.argv.length, { scratch, denodir }),
      cwd: plan.cwd,
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: scratch,
        TMPDIR: scratch,
        SKILL_OUT: join(scratch, "out"),
        DENO_DIR: denodir,
        NO_COLOR: "1",
        DENO_NO_UPDATE_CHECK: "1",
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    const start = performance.now();
    const { code, stderr } = await command.output();
    const time = performance.now() - start;
    if (code !== 0) {
      throw new Error(`bare child: ${new TextDecoder().decode(stderr)}`);
    }
    return time;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}
