/** What a probe of a layer runs on: a skill of our own, and listeners. */

import { join } from "node:path";
import {
  CHECK_SCRIPT,
  type CheckInput,
  NAMES_OF_ITS_OWN,
} from "./bwrap_check.ts";
import { AUDIT_FILE } from "./mounts.ts";
import type { Account, View } from "./types.ts";

const SCRATCH_MIB = 8;
const PROCESSES = 64;

/** How the ground is laid. */
export interface GroundOptions {
  readonly tmpDir: string;
  /** What the name of its directory begins with. */
  readonly prefix: string;
  readonly runtime: string;
  readonly account: Account | undefined;
  /** The system call filter. */
  readonly filter: Uint8Array<ArrayBuffer>;
}

/** A throw-away place with everything a sandbox shows, and what it must not. */
export class ProbeGround implements Disposable {
  readonly view: View;
  readonly script: string;
  readonly filter: string;
  readonly status: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: CheckInput;
  readonly #base: string;
  readonly #listeners: readonly Listener[];

  /** Throws what the file system throws. */
  constructor({ tmpDir, prefix, runtime, account, filter }: GroundOptions) {
    const base = Deno.realPathSync(
      Deno.makeTempDirSync({ dir: tmpDir, prefix }),
    );
    this.#base = base;
    try {
      const at = (...parts: string[]) => join(base, ...parts);
      const [run, skill, data] = [at("run"), at("skill"), at("data")];
      const scratch = join(run, "scratch");
      this.view = {
        runtime,
        skillDir: skill,
        readable: [],
        writable: [data],
        run,
        scratch,
        denodir: join(run, "denodir"),
        network: "none",
        cwd: skill,
        scratchMiB: SCRATCH_MIB,
        processes: PROCESSES,
      };
      this.script = join(skill, "check.mjs");
      this.filter = at("filter");
      this.status = at("status");
      // Scripts' account passes through, and lists nothing.
      Deno.chmodSync(base, account === undefined ? 0o700 : 0o711);
      for (const dir of [skill, run]) Deno.mkdirSync(dir, { mode: 0o755 });
      const handedIn = join(scratch, "in", "file");
      const writable = [scratch, join(scratch, "out"), this.view.denodir, data];
      for (const dir of [...writable, join(scratch, "in")]) {
        Deno.mkdirSync(dir, { mode: 0o700 });
      }
      Deno.writeTextFileSync(this.script, CHECK_SCRIPT, { mode: 0o644 });
      Deno.writeFileSync(this.filter, filter, { mode: 0o644 });
      Deno.writeTextFileSync(at("outside"), "", { mode: 0o644 });
      Deno.writeTextFileSync(handedIn, "in", { mode: 0o444 });
      for (const path of [this.status, join(run, AUDIT_FILE)]) {
        Deno.writeTextFileSync(path, "", { mode: 0o600 });
      }
      if (account !== undefined) {
        for (
          const path of [
            ...[...writable, join(scratch, "in"), handedIn],
            ...[this.status, join(run, AUDIT_FILE)],
          ]
        ) Deno.chownSync(path, account.uid, account.gid);
      }
      this.env = {
        HOME: scratch,
        TMPDIR: scratch,
        DENO_DIR: this.view.denodir,
        DENO_AUDIT_PERMISSIONS: join(run, AUDIT_FILE),
        DENO_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
      };
      const sockets = [at("socket"), `\0skillfence-${crypto.randomUUID()}`];
      const port = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      this.#listeners = [
        new Listener(port),
        ...sockets.map((path) =>
          new Listener(Deno.listen({ transport: "unix", path }))
        ),
      ];
      if (account !== undefined) Deno.chmodSync(at("socket"), 0o666);
      this.input = {
        outside: at("outside"),
        skill,
        handedIn,
        writable,
        port: (port.addr as Deno.NetAddr).port,
        sockets,
        names: [...Object.keys(this.env), ...NAMES_OF_ITS_OWN],
        account: account === undefined
          ? [Deno.uid(), Deno.gid()]
          : [account.uid, account.gid],
      };
    } catch (error) {
      // Nobody gets an object to dispose of.
      Deno.removeSync(base, { recursive: true });
      throw error;
    }
  }

  /** Whether any listener was reached. */
  get reached(): boolean {
    return this.#listeners.some(({ reached }) => reached);
  }

  /** What the script wrote where it may is here as well. */
  get handedOut(): boolean {
    const { scratch, writable } = this.view;
    return [join(scratch, "out"), ...writable].every((dir) =>
      reads(join(dir, "written"))
    );
  }

  [Symbol.dispose](): void {
    for (const listener of this.#listeners) listener[Symbol.dispose]();
    Deno.removeSync(this.#base, { recursive: true });
  }
}

/** Notes whether anyone connects. */
class Listener implements Disposable {
  readonly #listener: Deno.Listener;
  reached = false;

  constructor(listener: Deno.Listener) {
    this.#listener = listener;
    void this.#accept();
  }

  async #accept(): Promise<void> {
    try {
      for await (const connection of this.#listener) {
        this.reached = true;
        connection.close();
      }
    } catch {
      // Closed.
    }
  }

  [Symbol.dispose](): void {
    this.#listener.close();
  }
}

function reads(path: string): boolean {
  try {
    return Deno.readTextFileSync(path) === "out";
  } catch {
    return false;
  }
}
