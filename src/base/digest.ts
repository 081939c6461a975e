/** Digests, always written `sha256:<64 hex digits>`, and what they cover. */

import process from "node:process";

/** SHA-256 of bytes, or of a text's UTF-8, as `sha256:<hex>`. */
export function sha256(data: Uint8Array | string): string {
  // Importing it takes longer than a hook has: who digests nothing need not wait.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}

/**
 * JSON with every object's keys in code unit order and no spaces, so that equal
 * values have equal text. Takes plain JSON values; a key whose value is
 * undefined is left out, as in `JSON.stringify`.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item)).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value) ?? "null";
  }
  const record = value as Record<string, unknown>;
  const members = Object.keys(record).sort().flatMap((key) =>
    record[key] === undefined
      ? []
      : [`${JSON.stringify(key)}:${canonicalJson(record[key])}`]
  );
  return `{${members.join(",")}}`;
}
