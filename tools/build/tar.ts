/** Just enough of tar to take one file out of an npm tarball. */

import { gunzipSync } from "node:zlib";
import { BuildError } from "./build_error.ts";

const BLOCK = 512;

/**
 * The bytes of one regular file of a gzipped ustar archive.
 *
 * @throws {BuildError} when the archive holds no such file.
 */
export function fileFromTarball(tgz: Uint8Array, path: string): Uint8Array {
  const tar = new Uint8Array(gunzipSync(tgz));
  for (let at = 0; at + BLOCK <= tar.length;) {
    const name = text(tar, at, 100);
    if (name === "") break;
    const prefix = text(tar, at + 345, 155);
    const size = parseInt(text(tar, at + 124, 12), 8);
    if (!Number.isSafeInteger(size)) break;
    const start = at + BLOCK;
    const full = prefix === "" ? name : `${prefix}/${name}`;
    if (full === path) return tar.slice(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new BuildError(`the archive holds no ${path}`);
}

/** A NUL-terminated field, trimmed. */
function text(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return new TextDecoder()
    .decode(end < 0 ? field : field.subarray(0, end)).trim();
}
