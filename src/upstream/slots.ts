/** The servers that are started, one for each name. */

import { refuse, type Result } from "../base/refusal.ts";
import { type Clock, systemClock } from "../fence/clock.ts";
import { ScratchKeeper } from "../fence/disk/scratch.ts";
import { endWithParent } from "../os/end_with_parent.ts";
import { hideFromOwnAccount } from "../os/dumpable.ts";
import { nativePlaces } from "../os/native_places.ts";
import { procfsWorks } from "../os/native_procfs.ts";
import type { Account, BwrapLayer } from "../os/types.ts";
import type { DoorDeps } from "./door_deps.ts";
import type { GrantedServer } from "./granted_server.ts";
import type { Judged } from "./judge.ts";
import { openServer, type StartDeps } from "./open_server.ts";
import type { Session } from "./session.ts";
import type { ServerMemory } from "./server_memory.ts";
import { toolRecord, toolsDigest } from "./server_record.ts";
import type { RawTool } from "./shown_tools.ts";
import { type Open, ServerSlot } from "./slot.ts";

/** Which server. */
export interface SlotKey {
  readonly skill: string;
  readonly server: string;
}

interface KeptSlot {
  readonly digest: string;
  readonly slot: ServerSlot;
  /** As it was last looked at: the next start is of that one. */
  server: GrantedServer;
}

/** Servers that live at once. */
const MOST_LIVE = 16;

/** Holds them all, and what they are started with. */
export class Slots {
  readonly #memory: ServerMemory;
  readonly #clock: Clock;
  readonly #keeper: ScratchKeeper;
  readonly #start: StartDeps;
  readonly #slots = new Map<string, KeptSlot>();
  readonly #sessions = new Set<Session>();
  readonly #procfs = new WeakMap<BwrapLayer, Promise<boolean>>();
  #hidden: boolean | undefined;
  #first: Promise<readonly string[]> | undefined;
  #closed = false;

  constructor(deps: DoorDeps, memory: ServerMemory) {
    this.#memory = memory;
    this.#clock = deps.clock ?? systemClock;
    this.#keeper = new ScratchKeeper(deps.tmpDir);
    this.#start = {
      config: deps.config,
      keeper: this.#keeper,
      hardLimits: deps.hardLimits,
      upstream: deps.upstream,
      certificates: deps.certificates,
      onLayerFailed: deps.onLayerFailed,
      endWithParent: () =>
        this.#first ??= endWithParent(deps.config.env("PATH")),
      hide: () => this.#hidden ??= hideFromOwnAccount(),
      procfs: (layer, account) => this.#hasProcfs(layer, account),
      now: () => this.#clock.now(),
      ...(deps.initializeMs === undefined
        ? {}
        : { initializeMs: deps.initializeMs }),
    };
  }

  /** Starts one by itself; whoever asked ends it. */
  async open(
    server: GrantedServer,
    signal: AbortSignal,
  ): Promise<Result<Session>> {
    if (this.#closed) {
      return refuse("CANCELLED", "The server is ending.", "Call again.");
    }
    const session = await openServer(server, this.#start, signal);
    if (!session.ok) return session;
    this.#sessions.add(session.value);
    if (this.#closed) session.value.closeSync();
    return session;
  }

  /** Why it cannot be used now although it is granted; undefined: it can. */
  obstacle(key: SlotKey, digest: string): Result<never> | undefined {
    const kept = this.#slots.get(idOf(key));
    if (kept === undefined || kept.digest !== digest) return undefined;
    const { suspended, heldBack, live } = kept.slot;
    if (suspended !== undefined) {
      return refuse(
        "GRANT_STALE",
        suspended,
        "Look at the change; `skillfence mcp pin` shows the tools and prints the row that allows them as they are now.",
      );
    }
    return heldBack === undefined || live
      ? undefined
      : refuse("BUSY", heldBack, "Call again then.");
  }

  /** The tools of one that runs. */
  tools({ server }: Judged): readonly RawTool[] | undefined {
    if (server === undefined) return undefined;
    const key = { skill: server.skill.name, server: server.declared.name };
    return this.#slots.get(idOf(key))?.slot.tools;
  }

  /** Hands the running server to `work`, starting it first where need be. */
  async use<T>(
    { server, row, pinned }: Judged,
    work: (open: Open) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<Result<T>> {
    if (server === undefined || row === undefined) {
      return refuse("INTERNAL", "a use without a grant", "Call again.");
    }
    const key = { skill: server.skill.name, server: server.declared.name };
    const slot = this.#slot(
      key,
      { digest: row.digest, server },
      (latest) =>
        new ServerSlot({
          clock: this.#clock,
          open: async (signal) => {
            const opened = await this.open(latest(), signal);
            if (opened.ok && pinned !== undefined) {
              void this.#memory.keepServer(row.digest, pinned);
            }
            return opened;
          },
          judge: (tools) => this.#judge(row.tools, tools),
        }),
    );
    if (!slot.live && !this.#makeRoom()) {
      return refuse(
        "BUSY",
        `${MOST_LIVE} declared servers are in use`,
        "Call again when one of them is idle.",
      );
    }
    return await slot.use(work, signal);
  }

  /** A call of it was answered. */
  answered({ server }: Judged): void {
    if (server === undefined) return;
    const key = { skill: server.skill.name, server: server.declared.name };
    this.#slots.get(idOf(key))?.slot.answered();
  }

  /** Ends one that is granted no more, or not as it is now. */
  drop(key: SlotKey): void {
    const id = idOf(key);
    const kept = this.#slots.get(id);
    // One whose tools changed stays suspended, whatever is asked.
    if (kept === undefined || kept.slot.suspended !== undefined) return;
    this.#slots.delete(id);
    void kept.slot.close();
  }

  /** Ends all and waits for it. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      [...this.#slots.values()].map(({ slot }) => slot.close()),
    );
    await Promise.all([...this.#sessions].map((session) => session.close()));
    this.closeSync();
  }

  /** Ends all at once. For signal handlers. */
  closeSync(): void {
    this.#closed = true;
    for (const { slot } of this.#slots.values()) slot.closeSync();
    for (const session of this.#sessions) session.closeSync();
    this.#keeper.closeSync();
  }

  #slot(
    key: SlotKey,
    { digest, server }: Pick<KeptSlot, "digest" | "server">,
    make: (latest: () => GrantedServer) => ServerSlot,
  ): ServerSlot {
    const id = idOf(key);
    const kept = this.#slots.get(id);
    if (kept?.digest === digest) {
      kept.server = server;
      return kept.slot;
    }
    void kept?.slot.close();
    const slot = make(() => fresh.server);
    const fresh: KeptSlot = { digest, slot, server };
    this.#slots.set(id, fresh);
    return slot;
  }

  /** Lets an idle one go where there are too many. Returns whether there is room. */
  #makeRoom(): boolean {
    for (const session of this.#sessions) {
      if (session.gone) this.#sessions.delete(session);
    }
    const live = [...this.#slots.values()].filter(({ slot }) => slot.live);
    if (live.length < MOST_LIVE) return true;
    const idle = live.find(({ slot }) => slot.idle);
    void idle?.slot.letGo();
    return idle !== undefined;
  }

  async #judge(
    pinned: string,
    tools: readonly RawTool[],
  ): Promise<string | undefined> {
    const record = toolRecord(tools);
    const digest = toolsDigest(record);
    if (record.size !== tools.length) {
      return "it lists two tools of one name";
    }
    if (digest === pinned) {
      void this.#memory.keepTools(digest, record);
      return undefined;
    }
    const changes = await this.#memory.sinceTools(pinned, record);
    return `the row pins the tools ${pinned}, and they are ${digest} now: ${
      changes === undefined || changes === ""
        ? "what changed cannot be told, since the pinned list is not remembered here"
        : changes
    }`;
  }

  #hasProcfs(
    layer: BwrapLayer,
    account: Account | undefined,
  ): Promise<boolean> {
    const tried = this.#procfs.get(layer) ??
      procfsWorks(layer, nativePlaces(), account);
    this.#procfs.set(layer, tried);
    return tried;
  }
}

function idOf({ skill, server }: SlotKey): string {
  return JSON.stringify([skill, server]);
}
