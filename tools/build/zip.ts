/** Just enough of zip to take one file out of the archive of a base binary. */

import { inflateRawSync } from "node:zlib";
import { BuildError } from "./build_error.ts";

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
/** Size of the end record; a comment of up to 64 KiB may follow it. */
const END_SIZE = 22;
const STORED = 0;
const DEFLATED = 8;

/**
 * The bytes of one file of a zip archive (no zip64, no encryption).
 *
 * @throws {BuildError} when the archive is none or holds no such file.
 */
export function fileFromZip(zip: Uint8Array, path: string): Uint8Array {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  let end = zip.length - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) end--;
  if (end < 0) throw new BuildError("not a zip archive");
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== DIRECTORY_ENTRY) break;
    const method = view.getUint16(at + 10, true);
    const packedSize = view.getUint32(at + 20, true);
    const nameLength = view.getUint16(at + 28, true);
    const more = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    const name = new TextDecoder()
      .decode(zip.subarray(at + 46, at + 46 + nameLength));
    if (name === path) {
      const header = view.getUint32(at + 42, true);
      // The local header repeats the name and has an extra field of its own.
      const start = header + 30 + view.getUint16(header + 26, true) +
        view.getUint16(header + 28, true);
      const packed = zip.subarray(start, start + packedSize);
      if (method === STORED) return packed.slice();
      if (method === DEFLATED) return new Uint8Array(inflateRawSync(packed));
      throw new BuildError(`${path} is packed by method ${method}`);
    }
    at += 46 + nameLength + more;
  }
  throw new BuildError(`the archive holds no ${path}`);
}
