/** What was read of files, kept from one scan to the next by stamp. */

import { isSettled, sameStamp } from "./stamps.ts";
import type { FileStamp } from "./types.ts";

/** Remembers readings by real path while the file's stamp stands. */
export class StampedMemory<T extends { readonly stamp: FileStamp }> {
  #before: ReadonlyMap<string, T> = new Map();
  #now = new Map<string, T>();

  /** The reading of a file that still has this stamp. */
  get(realPath: string, stamp: FileStamp): T | undefined {
    const known = this.#now.get(realPath) ?? this.#before.get(realPath);
    if (known === undefined || !sameStamp(known.stamp, stamp)) return undefined;
    this.#now.set(realPath, known);
    return known;
  }

  /** Keeps a fresh reading, unless its file changed too lately to tell. */
  keep(realPath: string, reading: T): T {
    if (isSettled(reading.stamp)) this.#now.set(realPath, reading);
    return reading;
  }

  /** Keeps a reading that was used without being asked for. */
  carry(realPath: string, reading: T): void {
    this.#now.set(realPath, reading);
  }

  /** Ends a scan: what it did not use is forgotten. */
  turn(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }
}
