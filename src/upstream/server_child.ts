/** One started server process: its streams bounded, its whole group ended. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { errorName } from "../base/error_name.ts";
import { visible } from "../base/text.ts";
import { HAS_GROUPS, ProcessGroup } from "../fence/run/process_group.ts";
import { childrenOf } from "../os/children.ts";
import type { Account } from "../os/types.ts";
import { readStatus } from "../os/wrapper.ts";
import { RateBound } from "./rate_bound.ts";

/** What is started. */
export interface ChildSpec {
  /** The whole command line, the program's absolute path first. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs as this account; the launcher takes its own on itself. */
  readonly account: Account | undefined;
  /** Where the confining program says that it started. */
  readonly status: string;
  /**
   * Nothing holds what it starts: a mark in its environment by which that is
   * found again. Undefined where all ends with it.
   */
  readonly mark: string | undefined;
  readonly now: () => number;
}

const STDERR_TAIL = 8 * 1024;
/** stderr in ten seconds: a log is far below, a flood reaches it at once. */
const STDERR_RATE = { bytes: 32 * 1024 * 1024, ms: 10_000 };
/** From the end of its input to SIGTERM, and from there to SIGKILL. */
const ASK_AFTER_MS = 300;
const KILL_AFTER_MS = 700;
/** After its end: for what is still in the pipes. */
const DRAIN_MS = 500;
const MAX_DESCENDANTS = 4096;

/** A server process that lives. */
export class ServerChild {
  readonly #child: Deno.ChildProcess;
  readonly #group: ProcessGroup;
  readonly #spec: ChildSpec;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #readers: ReadableStreamDefaultReader<Uint8Array>[];
  readonly #reading: Promise<unknown>[] = [];
  #tail = new Uint8Array();
  #killed = false;
  #over = false;
  #exitCode: number | null = null;
  /** Settles once the process has ended and nothing of it is left. */
  readonly ended: Promise<void>;

  private constructor(child: Deno.ChildProcess, spec: ChildSpec) {
    this.#child = child;
    this.#spec = spec;
    this.#group = new ProcessGroup(
      child,
      () => readStatus(spec.status).childPid,
    );
    this.#input = child.stdin.getWriter();
    // A process that is gone refuses what is still to be written.
    this.#input.closed.catch(() => {});
    this.#readers = [child.stdout.getReader(), child.stderr.getReader()];
    const rate = new RateBound(STDERR_RATE, spec.now);
    this.#follow(this.#readers[1]!, (chunk) => {
      const both = new Uint8Array(this.#tail.length + chunk.length);
      both.set(this.#tail);
      both.set(chunk, this.#tail.length);
      this.#tail = both.slice(-STDERR_TAIL);
      if (rate.over(chunk.length)) this.kill();
    });
    this.ended = this.#end();
  }

  /** Starts it. `SPAWN_FAILED` when the system does not. */
  static start(spec: ChildSpec): Result<ServerChild> {
    const [program = "", ...args] = spec.command;
    try {
      const child = new Deno.Command(program, {
        args,
        cwd: spec.cwd,
        clearEnv: true,
        env: { ...spec.env },
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
        detached: HAS_GROUPS,
        ...spec.account,
      }).spawn();
      return ok(new ServerChild(child, spec));
    } catch (error) {
      return refuse(
        "SPAWN_FAILED",
        `the server's process could not be started: ${errorName(error)}`,
        "Run `skillfence doctor` to see what is missing.",
      );
    }
  }

  /** Its number; that of what confines it where something does. */
  get pid(): number {
    return this.#child.pid;
  }

  /** How it ended by itself; null while it lives, and where a signal ended it. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  /** Hears what it writes, until it ends. To be called once. */
  hear(onChunk: (chunk: Uint8Array) => void): Promise<void> {
    return this.#follow(this.#readers[0]!, onChunk);
  }

  /** Writes to it; rejects once it no longer reads. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#input.write(bytes);
  }

  /** The last of what it wrote to stderr, on one line; empty when nothing. */
  said(max = 300): string {
    const text = new TextDecoder().decode(this.#tail).trim();
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return visible(lines.slice(-3).join(" | ").slice(-2 * max), max);
  }

  /** Asks it to end as the protocol does, then ends it. */
  async stop(): Promise<void> {
    if (this.#over) return;
    this.#input.close().catch(() => {});
    if (await this.#endsWithin(ASK_AFTER_MS)) return;
    this.#group.ask();
    if (await this.#endsWithin(KILL_AFTER_MS)) return;
    this.kill();
    await this.ended;
  }

  /** Ends its group and all that came of it, at once. Never throws. */
  kill(): void {
    if (this.#over && this.#killed) return;
    this.#killed = true;
    const left = descendants(this.#child.pid);
    this.#group.kill();
    for (const pid of left) end(pid);
    this.#endMarked();
  }

  async #end(): Promise<void> {
    const { code, signal } = await this.#child.status;
    this.#exitCode = signal === null ? code : null;
    this.#over = true;
    this.#group.leaderEnded();
    // What it left behind in its group, or had sent out of it.
    this.#group.kill();
    this.#endMarked();
    await this.#input.abort().catch(() => {});
    // Whoever got away may hold the pipes for ever.
    const timer = setTimeout(() => {
      for (const reader of this.#readers) reader.cancel().catch(() => {});
    }, DRAIN_MS);
    await Promise.all(this.#reading);
    clearTimeout(timer);
  }

  /** Processes that left group and parent still carry the mark, unless cleared. */
  #endMarked(): void {
    if (this.#spec.mark === undefined) return;
    const mark = new TextEncoder().encode(`=${this.#spec.mark}\0`);
    for (const pid of processes()) {
      if (pid === Deno.pid || !environmentOf(pid, mark)) continue;
      end(pid);
    }
  }

  #follow(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    onChunk: (chunk: Uint8Array) => void,
  ): Promise<void> {
    const reading = (async () => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        onChunk(value);
      }
    })().catch(() => {
      // The pipe broke with the process.
    });
    this.#reading.push(reading);
    return reading;
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer = 0 as unknown as ReturnType<typeof setTimeout>;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const ended = this.ended.then(() => true as const);
    try {
      return await Promise.race([ended, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function descendants(pid: number): number[] {
  const found: number[] = [];
  const queue = [pid];
  while (queue.length > 0 && found.length < MAX_DESCENDANTS) {
    const children = childrenOf(queue.pop()!);
    found.push(...children);
    queue.push(...children);
  }
  return found;
}

function processes(): number[] {
  if (Deno.build.os !== "linux") return [];
  try {
    return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name))
      .filter((pid) => pid > 1);
  } catch {
    return [];
  }
}

/** Whether a process that we may look into carries these bytes. */
function environmentOf(pid: number, mark: Uint8Array): boolean {
  try {
    const bytes = Deno.readFileSync(`/proc/${pid}/environ`);
    for (let at = bytes.indexOf(mark[0]!); at >= 0;) {
      if (mark.every((byte, index) => bytes[at + index] === byte)) return true;
      at = bytes.indexOf(mark[0]!, at + 1);
    }
    return false;
  } catch {
    return false;
  }
}

function end(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // Gone by itself.
  }
}
