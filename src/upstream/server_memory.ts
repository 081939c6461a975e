/** What the owner once pinned, kept so that a later change can be named. */

import { join } from "node:path";
import { readBounded } from "../base/bounded_read.ts";
import type { Result } from "../base/refusal.ts";
import {
  declarationChanges,
  fileChanges,
  recordDigest,
  type ServerRecord,
  toolChanges,
  type ToolRecord,
  toolsDigest,
} from "./server_record.ts";

/** A declaration with the files it lies in. */
export interface PinnedServer {
  readonly record: ServerRecord;
  /** Of the bundle: path and digest. */
  readonly files: ReadonlyMap<string, string>;
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_KEPT = 64;

/**
 * Records by digest, in memory and as `<cache>/mcp/<hex>.json`, 0600. Best
 * effort: without one, a change is told without its parts.
 */
export class ServerMemory {
  readonly #cacheDir: () => Promise<Result<string>>;
  readonly #kept = new Map<string, string>();

  /** `cacheDir` finds or makes the cache directory; asked only when needed. */
  constructor(cacheDir: () => Promise<Result<string>>) {
    this.#cacheDir = cacheDir;
  }

  /** Keeps what a declaration that is in force is made of. */
  async keepServer(
    digest: string,
    { record, files }: PinnedServer,
  ): Promise<void> {
    await this.#keep(digest, { record, files: [...files] });
  }

  /** The same for a list of tools. */
  async keepTools(digest: string, tools: ToolRecord): Promise<void> {
    await this.#keep(digest, { tools: [...tools] });
  }

  /** What changed since the pinned declaration; undefined: it is not known. */
  async sinceServer(
    pinned: string,
    now: PinnedServer,
  ): Promise<string | undefined> {
    const { record, files } = await this.#recall(pinned);
    try {
      const before = record as ServerRecord;
      if (recordDigest(before) !== pinned) return undefined;
      const old = new Map(files as [string, string][]);
      return declarationChanges(
        before,
        now.record,
        fileChanges(old, now.files),
      );
    } catch {
      return undefined;
    }
  }

  /** The same for the pinned list of tools. */
  async sinceTools(
    pinned: string,
    now: ToolRecord,
  ): Promise<string | undefined> {
    const { tools } = await this.#recall(pinned);
    try {
      const before = new Map(tools as [string, string][]);
      return toolsDigest(before) === pinned
        ? toolChanges(before, now)
        : undefined;
    } catch {
      return undefined;
    }
  }

  async #keep(digest: string, value: unknown): Promise<void> {
    const text = JSON.stringify(value);
    if (this.#kept.get(digest) === text || text.length > MAX_BYTES) return;
    this.#kept.set(digest, text);
    if (this.#kept.size > MAX_KEPT) {
      this.#kept.delete(this.#kept.keys().next().value!);
    }
    const path = await this.#path(digest);
    if (path === undefined) return;
    const fresh = `${path}.${crypto.randomUUID()}`;
    try {
      await Deno.mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
      await Deno.writeTextFile(fresh, text, { createNew: true, mode: 0o600 });
      await Deno.rename(fresh, path);
    } catch {
      await Deno.remove(fresh).catch(() => {});
    }
  }

  async #recall(digest: string): Promise<Record<string, unknown>> {
    const kept = this.#kept.get(digest) ?? await this.#read(digest);
    try {
      const value: unknown = JSON.parse(kept ?? "{}");
      return typeof value === "object" && value !== null ? { ...value } : {};
    } catch {
      return {};
    }
  }

  async #read(digest: string): Promise<string | undefined> {
    const path = await this.#path(digest);
    if (path === undefined) return undefined;
    const read = await readBounded(path, MAX_BYTES);
    if (!read.ok || read.value.truncated) return undefined;
    return new TextDecoder().decode(read.value.bytes);
  }

  async #path(digest: string): Promise<string | undefined> {
    const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
    if (hex === undefined) return undefined;
    const cache = await this.#cacheDir();
    return cache.ok ? join(cache.value, "mcp", `${hex}.json`) : undefined;
  }
}
