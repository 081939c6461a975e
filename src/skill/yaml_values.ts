/** Parsed YAML nodes turned into plain values, and found again by path. */

import { isAlias, isMap, isScalar, isSeq, type Node } from "yaml";
import { visible } from "../base/text.ts";

/** Deepest nesting of lists and mappings. */
const MAX_DEPTH = 64;

/** One step into a mapping (by key) or a list (by index). */
export type PathStep = string | number;

/** A value, or why there is none and where. */
export type Plain =
  | { readonly value: unknown }
  | { readonly why: string; readonly hint: string; readonly offset: number };

/**
 * A parsed node as plain values. Anchors, aliases, repeated keys, keys that are
 * no words and more than 64 levels are refused, each at its offset.
 */
export function toPlain(node: unknown, depth = 0): Plain {
  if (node === null || node === undefined) return { value: null };
  const { range, anchor } = node as { range?: number[]; anchor?: string };
  const offset = range?.[0] ?? 0;
  if (isAlias(node) || anchor !== undefined) {
    return {
      why: "anchors and aliases are not accepted",
      hint: "Write the value out, or quote text that starts with * or &.",
      offset,
    };
  }
  if (isScalar(node)) return { value: node.value };
  if (depth >= MAX_DEPTH) {
    return {
      why: "the YAML is nested too deeply",
      hint: `Use at most ${MAX_DEPTH} levels.`,
      offset,
    };
  }
  if (isSeq(node)) {
    const list: unknown[] = [];
    for (const item of node.items) {
      const read = toPlain(item, depth + 1);
      if ("why" in read) return read;
      list.push(read.value);
    }
    return { value: list };
  }
  return isMap(node) ? mapToPlain(node.items, depth) : { value: null };
}

function mapToPlain(
  pairs: readonly { key: unknown; value: unknown }[],
  depth: number,
): Plain {
  const record: Record<string, unknown> = {};
  for (const pair of pairs) {
    const key = toPlain(pair.key, depth + 1);
    if ("why" in key) return key;
    const offset = (pair.key as Node | null)?.range?.[0] ?? 0;
    if (typeof key.value === "object" && key.value !== null) {
      return {
        why: "a key is a list or a mapping",
        hint: "Use words as keys.",
        offset,
      };
    }
    const name = String(key.value);
    if (Object.hasOwn(record, name)) {
      return {
        why: `the key "${visible(name, 60)}" stands twice`,
        hint: "Keep one of the two.",
        offset,
      };
    }
    const read = toPlain(pair.value, depth + 1);
    if ("why" in read) return read;
    // Plain assignment to `__proto__` would set the prototype instead.
    if (name === "__proto__") {
      Object.defineProperty(record, name, {
        value: read.value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else record[name] = read.value;
  }
  return { value: record };
}

/** Where the value at a path, or its key, starts; else what should hold it. */
export function offsetOf(
  root: Node,
  path: readonly PathStep[],
  at: "key" | "value",
): number | undefined {
  let node: unknown = root;
  let offset: number | undefined;
  for (const [i, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) =>
        isScalar(key) && String(key.value) === step
      );
      if (pair === undefined) return offset;
      const keyOffset = (pair.key as Node).range?.[0];
      const valueOffset = (pair.value as Node | null)?.range?.[0];
      const wantKey = at === "key" && i === path.length - 1;
      offset = wantKey ? keyOffset : valueOffset ?? keyOffset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = (node as Node | null)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}
