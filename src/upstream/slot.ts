/** One granted server while this one lives: started once, held back, let go. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import type { Clock } from "../fence/clock.ts";
import { seconds } from "./server_words.ts";
import type { RawTool } from "./shown_tools.ts";
import type { Session } from "./session.ts";

/** A session with its tools, as long as they are the pinned ones. */
export interface Open {
  readonly session: Session;
  readonly tools: readonly RawTool[];
}

/** What a slot works with. */
export interface SlotDeps {
  readonly clock: Clock;
  /** Starts the server and connects. */
  readonly open: (signal: AbortSignal) => Promise<Result<Session>>;
  /** Why these are not the tools that the owner pinned; undefined: they are. */
  readonly judge: (tools: readonly RawTool[]) => Promise<string | undefined>;
}

const IDLE_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Calls at once to one server. */
const MOST_CALLS = 32;

/** Starts a server on first use and lets it go after ten idle minutes. */
export class ServerSlot {
  readonly #deps: SlotDeps;
  readonly #over = new AbortController();
  #open: Open | undefined;
  #opening: Promise<Result<Open>> | undefined;
  #session: Session | undefined;
  #suspended: string | undefined;
  /** Ends in a row without an answered call between them. */
  #failures = 0;
  #until = 0;
  #busy = 0;
  #callOff: () => void = () => {};
  /** Why it ended last. */
  #last = "";

  constructor(deps: SlotDeps) {
    this.#deps = deps;
  }

  /** Why its tools are not the pinned ones, since that was seen. */
  get suspended(): string | undefined {
    return this.#suspended;
  }

  /** In words, while it is not started again yet. */
  get heldBack(): string | undefined {
    const left = this.#until - this.#deps.clock.now();
    return left <= 0
      ? undefined
      : `${this.#last}; it is started again in ${
        seconds(left)
      } at the earliest`;
  }

  /** Whether a process or connection is there. */
  get live(): boolean {
    return this.#open !== undefined;
  }

  /** Nobody waits for it: it can be let go for another one. */
  get idle(): boolean {
    return this.#busy === 0 && this.#opening === undefined;
  }

  /** The tools that it runs with now; undefined while it does not run. */
  get tools(): readonly RawTool[] | undefined {
    return this.#open?.tools;
  }

  /**
   * Starts it unless it runs, and hands it to `work`. Refuses with
   * `GRANT_STALE` when its tools are not the pinned ones, with `BUSY` while it
   * is held back, and as starting does. `signal` ends the wait, not the start.
   */
  async use<T>(
    work: (open: Open) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<Result<T>> {
    if (this.#busy >= MOST_CALLS) {
      return refuse(
        "BUSY",
        `${MOST_CALLS} calls of this server are under way`,
        "Call again when one has ended.",
      );
    }
    this.#busy++;
    this.#callOff();
    try {
      const open = await unlessAborted(this.#ready(), signal);
      if (!open.ok) return open;
      return ok(await work(open.value));
    } finally {
      this.#busy--;
      this.#waitIdle();
    }
  }

  /** A call was answered: what went wrong before counts no more. */
  answered(): void {
    this.#failures = 0;
  }

  /** Ends what runs, until it is used again. */
  async letGo(): Promise<void> {
    this.#callOff();
    const session = this.#session;
    this.#session = undefined;
    this.#open = undefined;
    await session?.close();
  }

  /** Ends what runs, and starts nothing any more. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.letGo();
  }

  /** The same at once. For signal handlers. */
  closeSync(): void {
    this.#over.abort();
    this.#callOff();
    this.#session?.closeSync();
  }

  async #ready(): Promise<Result<Open>> {
    const open = this.#open;
    if (open !== undefined && !open.session.gone) {
      return open.session.toolsChanged ? await this.#again(open) : ok(open);
    }
    return await (this.#opening ??= this.#start()
      .finally(() => this.#opening = undefined));
  }

  async #start(): Promise<Result<Open>> {
    if (this.#over.signal.aborted) {
      return refuse("CANCELLED", "The server is ending.", "Call again.");
    }
    if (this.#suspended !== undefined) return stale(this.#suspended);
    const heldBack = this.heldBack;
    if (heldBack !== undefined) {
      return refuse("BUSY", heldBack, "Call again then.");
    }
    const opened = await this.#deps.open(this.#over.signal);
    if (!opened.ok) {
      this.#failed(opened.message);
      return opened;
    }
    const session = opened.value;
    this.#session = session;
    if (this.#over.signal.aborted) session.closeSync();
    session.onGone = () => this.#gone(session);
    return await this.#listed(session);
  }

  async #listed(session: Session): Promise<Result<Open>> {
    const tools = await session.listTools();
    if (!tools.ok) {
      await this.letGo();
      this.#failed(tools.message);
      return tools;
    }
    const wrong = await this.#deps.judge(tools.value);
    if (wrong !== undefined) {
      this.#suspended = wrong;
      await this.letGo();
      return stale(wrong);
    }
    this.#open = { session, tools: tools.value };
    return ok(this.#open);
  }

  /** The same server, which says that its tools are others now. */
  async #again(open: Open): Promise<Result<Open>> {
    return await (this.#opening ??= this.#listed(open.session)
      .finally(() => this.#opening = undefined));
  }

  #gone(session: Session): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#open = undefined;
    this.#failed(session.whyGone() ?? "it ended");
    void session.close();
  }

  #failed(why: string): void {
    this.#last = why;
    const pause = FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 16);
    this.#failures++;
    this.#until = this.#deps.clock.now() + Math.min(pause, LONGEST_PAUSE_MS);
  }

  #waitIdle(): void {
    if (this.#busy > 0 || this.#session === undefined) return;
    this.#callOff();
    this.#callOff = this.#deps.clock.idle(IDLE_MS, () => {
      if (this.#busy === 0) void this.letGo();
    });
  }
}

/** The start, or `CANCELLED` as soon as nobody waits for it any more. */
async function unlessAborted(
  start: Promise<Result<Open>>,
  signal: AbortSignal | undefined,
): Promise<Result<Open>> {
  if (signal === undefined) return await start;
  const { promise, resolve } = Promise.withResolvers<Result<never>>();
  const stop = () =>
    resolve(refuse("CANCELLED", "The call was cancelled.", "Call again."));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([start, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function stale(why: string): Result<never> {
  return refuse(
    "GRANT_STALE",
    why,
    "Look at the change; `skillfence mcp pin` shows the tools and prints the row that allows them as they are now.",
  );
}
