/** The `env` of a row: which variables, and where a held one may go. */

import { visible } from "../base/text.ts";
import { isRecord, own, shown, unknownKeys } from "../skill/block_values.ts";
import { parseHostPattern } from "../skill/host_pattern.ts";
import type { HostPattern } from "../skill/types.ts";
import type { GrantedName } from "./types.ts";

const NAME_KEYS = ["name", "hosts", "plain"];

/** A value read, or why it cannot be. */
type Read<T> = { readonly value: T } | { readonly why: string };

/**
 * Reads a list of `"NAME"` and `{ "name", "hosts", "plain" }`. Any other shape,
 * and a name of which two entries could say different things, voids the row.
 */
export function readGrantedEnv(value: unknown): Read<readonly GrantedName[]> {
  if (value === undefined) return { value: [] };
  if (!Array.isArray(value)) {
    return { why: `its env is ${shown(value)}, not a list` };
  }
  const names = new Map<string, GrantedName>();
  for (const entry of new Set<unknown>(value)) {
    const read = readEntry(entry);
    if ("why" in read) return read;
    const { name } = read.value;
    if (names.has(name)) {
      return { why: `its env names ${shown(name)} twice` };
    }
    names.set(name, read.value);
  }
  return { value: [...names.values()] };
}

/** The unknown keys of a row's `env` entries, each with the nearest known. */
export function strayEnvKeys(value: unknown): { key: string; hint: string }[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).flatMap((entry) =>
    unknownKeys(entry, NAME_KEYS)
  );
}

function readEntry(entry: unknown): Read<GrantedName> {
  if (typeof entry === "string") {
    return { value: { name: entry, hosts: undefined, plain: false } };
  }
  if (!isRecord(entry)) {
    return { why: `its env holds ${shown(entry)}, which names no variable` };
  }
  const name = own(entry, "name");
  if (typeof name !== "string" || name === "") {
    return { why: "its env holds an object without a name" };
  }
  const hosts = readExactHosts(own(entry, "hosts"), name);
  if ("why" in hosts) return hosts;
  const plain = own(entry, "plain") ?? false;
  return typeof plain === "boolean"
    ? { value: { name, hosts: hosts.value, plain } }
    : {
      why: `plain of ${visible(name, 80)} is ${
        shown(plain)
      }, not true or false`,
    };
}

function readExactHosts(
  value: unknown,
  name: string,
): Read<readonly HostPattern[] | undefined> {
  if (value === undefined) return { value };
  const what = `hosts of ${visible(name, 80)}`;
  if (!Array.isArray(value)) {
    return { why: `${what} is ${shown(value)}, not a list` };
  }
  const hosts = new Map<string, HostPattern>();
  for (const text of value) {
    if (typeof text !== "string") {
      return { why: `${what} holds ${shown(text)}, which is not text` };
    }
    const parsed = parseHostPattern(text);
    if (!parsed.ok) return { why: parsed.message };
    if (parsed.value.kind === "wildcard") {
      return { why: `${what} holds the wildcard ${shown(text)}` };
    }
    hosts.set(parsed.value.text, parsed.value);
  }
  return { value: [...hosts.values()] };
}
