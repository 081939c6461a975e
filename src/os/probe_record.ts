/** Remembering, until the next boot, that a layer was proved to hold here. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { canonicalJson } from "../base/digest.ts";
import type { OsLayer } from "./types.ts";

/**
 * All that a proof rests on besides the boot: the program's path and time of
 * change, the account, the runtime. Plain JSON values.
 */
export type ProbeKey =
  & Readonly<
    Record<string, string | number | boolean | null>
  >
  & { readonly by: OsLayer["by"] };

/** A proof on disk; one for each layer. */
export interface ProbeRecord {
  /** Whether the proof was kept for this very key since the machine started. */
  holds(): Promise<boolean>;
  /** Keeps it. Never fails: what cannot be kept is proved again. */
  keep(): Promise<void>;
}

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** A record is one short line of JSON. */
const RECORD_BYTES = 16 * 1024;

/**
 * The record of `key` in `dir`, a directory that nobody else can write
 * (`CacheDir`); undefined keeps nothing.
 */
export function probeRecord(
  dir: string | undefined,
  key: ProbeKey,
): ProbeRecord {
  if (dir === undefined) {
    return {
      holds: () => Promise.resolve(false),
      keep: () => Promise.resolve(),
    };
  }
  const path = join(dir, `os-probe-${key.by}.json`);
  return {
    async holds() {
      const text = await recordText(key);
      return text !== undefined && await readShort(path) === text;
    },
    async keep() {
      const text = await recordText(key);
      if (text !== undefined) await replace(path, text).catch(() => {});
    },
  };
}

async function recordText(key: ProbeKey): Promise<string | undefined> {
  const boot = (await readShort(BOOT_ID))?.trim();
  return boot ? `${canonicalJson({ boot, key })}\n` : undefined;
}

async function readShort(path: string): Promise<string | undefined> {
  try {
    using file = await Deno.open(path, { read: true });
    const bytes = new Uint8Array(RECORD_BYTES);
    const size = await file.read(bytes) ?? 0;
    return new TextDecoder().decode(bytes.subarray(0, size));
  } catch {
    return undefined;
  }
}

/** Another server may read or write the same record at the same time. */
async function replace(path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomUUID()}`;
  try {
    await Deno.writeTextFile(fresh, text, { mode: 0o600, createNew: true });
    await Deno.rename(fresh, path);
  } catch (error) {
    await Deno.remove(fresh).catch(() => {});
    throw error;
  }
}
