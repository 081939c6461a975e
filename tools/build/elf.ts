/** Where an ELF file ends, whatever was appended to it. */

import { BuildError } from "./build_error.ts";

/**
 * Bytes of the ELF part of a 64-bit little-endian executable: up to the end of
 * its section header table, which linkers put last.
 *
 * @throws {BuildError} when it is no such executable or is cut short.
 */
export function elfSize(bytes: Uint8Array): number {
  const magic = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
  if (bytes.length < 64 || magic.some((byte, at) => bytes[at] !== byte)) {
    throw new BuildError("not a 64-bit little-endian ELF file");
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = Number(view.getBigUint64(0x28, true)) +
    view.getUint16(0x3a, true) * view.getUint16(0x3c, true);
  if (size <= 64 || size > bytes.length) {
    throw new BuildError(`the ELF file ends before its section headers`);
  }
  return size;
}
