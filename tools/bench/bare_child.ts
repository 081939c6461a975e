/** The process of a run, started without the server around it. */

import { join } from "node:path";
import { fillIn } from "../../src/fence/run/fill_in.ts";
import { timed } from "./timing.ts";

/** The parts of a Plan that make up its command line. */
export interface PlanCommand {
  readonly flags: readonly string[];
  readonly argv: readonly string[];
  readonly cwd: string;
}

/** What a bare child is started with. */
export interface BareChild {
  /** Absolute path of the deno executable. */
  readonly runtime: string;
  readonly plan: PlanCommand;
  /**
   * The runtime writes down what it asked its permissions for, and this reads
   * it; reading counts. Left out: nothing is written down.
   */
  readonly readRecord?: (audit: string, flags: string[]) => Promise<unknown>;
}

/**
 * Starts the runtime with a Plan's flags and nothing that confines it, with
 * fresh directories of its own (a fresh `DENO_DIR` above all, without which
 * Deno starts faster), and returns the milliseconds from start to end; making
 * and removing the directories is not counted.
 */
export async function bareChild(
  { runtime, plan, readRecord }: BareChild,
): Promise<number> {
  const base = await Deno.makeTempDir();
  try {
    const scratch = join(base, "scratch");
    const denodir = join(base, "denodir");
    const audit = join(base, "audit.jsonl");
    for (const dir of ["in", "out"]) {
      await Deno.mkdir(join(scratch, dir), { recursive: true });
    }
    await Deno.mkdir(denodir);
    await Deno.writeTextFile(audit, "");
    const flags = fillIn(plan.flags, plan.argv.length, {
      base,
      scratch,
      denodir,
    });
    const command = new Deno.Command(runtime, {
      args: flags,
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
        ...readRecord === undefined ? {} : { DENO_AUDIT_PERMISSIONS: audit },
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    return await timed(async () => {
      const { code, stderr } = await command.output();
      if (code !== 0) {
        throw new Error(`bare child: ${new TextDecoder().decode(stderr)}`);
      }
      await readRecord?.(audit, flags);
    });
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}
