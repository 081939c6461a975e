/** What changed in a bundle since the owner pinned its digest. */

import { join } from "node:path";
import { type Refusal, refuse, type Result } from "../../base/refusal.ts";
import { readBounded } from "../../base/bounded_read.ts";
import { listed, visible } from "../../base/text.ts";
import type { Declaration } from "../../skill/types.ts";
import { type Bundle, type Manifest, manifestDigest } from "./bundle_digest.ts";

/** A bundle as it was under one digest. */
export interface BundleRecord {
  readonly manifest: Manifest;
  /** Declared hosts, as text. */
  readonly hosts: readonly string[];
  /** Declared variables of all scripts. */
  readonly variables: readonly string[];
}

/** Records in memory, and their files in all, at most. */
const MAX_RECORDS = 256;
const MAX_FILES = 200_000;
const MAX_RECORD_BYTES = 8 * 1024 * 1024;
/** Changes named in one refusal. */
const NAMED = 10;

/** The record of a bundle just looked at. */
export function recordOf(
  bundle: Bundle,
  { egress, scripts }: Declaration,
): BundleRecord {
  return {
    manifest: bundle.manifest,
    hosts: egress.map(({ text }) => text),
    variables: [...new Set(scripts.flatMap(({ env }) => env))],
  };
}

/** Remembers bundles by digest: in memory, and confirmed ones on disk. */
export class BundleMemory {
  readonly #records = new Map<string, BundleRecord>();
  readonly #cacheDir: () => Promise<Result<string>>;
  /** Files written here, as they were then, by digest. */
  readonly #written = new Map<string, string>();
  #files = 0;

  /** `cacheDir` finds or makes the cache directory; asked only when needed. */
  constructor(cacheDir: () => Promise<Result<string>>) {
    this.#cacheDir = cacheDir;
  }

  /** Remembers a record until there are too many. */
  remember(digest: string, record: BundleRecord): void {
    this.#forget(digest);
    this.#records.set(digest, record);
    this.#files += record.manifest.size;
    for (const oldest of this.#records.keys()) {
      const fits = this.#records.size <= MAX_RECORDS &&
        this.#files <= MAX_FILES;
      if (fits || oldest === digest) break;
      this.#forget(oldest);
      this.#written.delete(oldest);
    }
  }

  /** The record of a digest, from memory or from disk. */
  async recall(digest: string): Promise<BundleRecord | undefined> {
    return this.#records.get(digest) ?? await this.#read(digest);
  }

  /**
   * Keeps the record of a bundle that somebody confirmed, as
   * `<cache>/bundles/<hex>.json`, 0600. Best effort: says whether it is kept.
   */
  async keep(digest: string): Promise<boolean> {
    const record = this.#records.get(digest);
    const path = await this.#path(digest);
    if (record === undefined || path === undefined) return false;
    const written = this.#written.get(digest);
    if (written !== undefined && written === versionOf(path)) return true;
    const text = JSON.stringify({
      version: 1,
      files: [...record.manifest],
      hosts: record.hosts,
      variables: record.variables,
    });
    if (text.length > MAX_RECORD_BYTES) return false;
    const fresh = `${path}.${crypto.randomUUID()}`;
    try {
      await Deno.mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
      await Deno.writeTextFile(fresh, text, { createNew: true, mode: 0o600 });
      await Deno.rename(fresh, path);
      this.#written.set(digest, versionOf(path) ?? "");
      return true;
    } catch {
      await Deno.remove(fresh).catch(() => {});
      return false;
    }
  }

  async #read(digest: string): Promise<BundleRecord | undefined> {
    const path = await this.#path(digest);
    if (path === undefined) return undefined;
    const read = await readBounded(path, MAX_RECORD_BYTES);
    if (!read.ok || read.value.truncated) return undefined;
    return parseRecord(new TextDecoder().decode(read.value.bytes), digest);
  }

  async #path(digest: string): Promise<string | undefined> {
    const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
    if (hex === undefined) return undefined;
    const cache = await this.#cacheDir();
    return cache.ok ? join(cache.value, "bundles", `${hex}.json`) : undefined;
  }

  #forget(digest: string): void {
    this.#files -= this.#records.get(digest)?.manifest.size ?? 0;
    this.#records.delete(digest);
  }
}

/** Changes whenever the file may have; undefined when there is none. */
function versionOf(path: string): string | undefined {
  try {
    const { ino, size, mtime, ctime } = Deno.lstatSync(path);
    return [ino, size, mtime?.getTime(), ctime?.getTime()].join(":");
  } catch {
    return undefined;
  }
}

/** A record as written; undefined when it is not what its name says. */
function parseRecord(text: string, digest: string): BundleRecord | undefined {
  try {
    const { files, hosts, variables } = JSON.parse(text);
    const manifest: Manifest = new Map(files);
    const texts = [...manifest.keys(), ...manifest.values(), ...hosts];
    return manifestDigest(manifest) === digest &&
        [...texts, ...variables].every((each) => typeof each === "string")
      ? { manifest, hosts, variables }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The refusal for a script whose bundle has none of the pinned digests, naming
 * what changed since the first of them that is remembered.
 */
export async function staleGrant(
  pinned: readonly string[],
  now: { readonly digest: string; readonly record: BundleRecord },
  memory: BundleMemory,
): Promise<Refusal> {
  let changes: string | undefined;
  for (const digest of pinned) {
    const before = await memory.recall(digest);
    if (before !== undefined) {
      changes = changesBetween(before, now.record);
      break;
    }
  }
  const pins = pinned.map((digest) => visible(digest, 80)).join(" or ");
  return refuse(
    "GRANT_STALE",
    `the grant pins bundle ${pins}, and the skill's files now are ${now.digest}: ${
      changes ??
        "what changed cannot be told, since no run of the pinned bundle is remembered here"
    }`,
    `Look at the change. To let the skill run as it is now, set \`bundle\` of its row in MCP_SKILL_RUN to "${now.digest}".`,
  );
}

function changesBetween(before: BundleRecord, after: BundleRecord): string {
  const { manifest: old } = before;
  const { manifest: fresh } = after;
  const changed = [...fresh].filter(([path, digest]) =>
    old.has(path) && old.get(path) !== digest
  ).map(([path]) => path);
  const parts = [
    named("changed", changed),
    named("new", missing([...fresh.keys()], [...old.keys()])),
    named("gone", missing([...old.keys()], [...fresh.keys()])),
    named("hosts added", missing(after.hosts, before.hosts)),
    named("hosts removed", missing(before.hosts, after.hosts)),
    named("variables added", missing(after.variables, before.variables)),
    named("variables removed", missing(before.variables, after.variables)),
  ];
  return parts.filter((part) => part !== undefined).join("; ");
}

function missing(from: readonly string[], other: readonly string[]): string[] {
  const known = new Set(other);
  return from.filter((each) => !known.has(each));
}

function named(label: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  return `${label}: ${listed(names.map((name) => visible(name)), NAMED)}`;
}
