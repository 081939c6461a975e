/** What a row pins, what it was made of, and what has changed since. Pure. */

import { canonicalJson, sha256 } from "../base/digest.ts";
import { byCodeUnit } from "../base/order.ts";
import { listed, visible } from "../base/text.ts";
import type { ServerDeclaration } from "./declared.ts";

/** A declaration as its digest covers it: names only of what may be secret. */
export interface ServerRecord {
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly url: string | undefined;
  readonly headers: readonly string[];
  readonly env: readonly string[];
  /** `sha256:<hex>` of the bundle. */
  readonly bundle: string;
}

/** Tools by name, each with the digest of all it says. */
export type ToolRecord = ReadonlyMap<string, string>;

/** Changes named in one text, of each kind. */
const NAMED = 10;

/** The record of a declaration within this bundle. */
export function recordOf(
  { transport }: Pick<ServerDeclaration, "transport">,
  bundle: string,
): ServerRecord {
  const stdio = transport.kind === "stdio" ? transport : undefined;
  const http = transport.kind === "http" ? transport : undefined;
  return {
    command: stdio?.command,
    args: stdio?.args ?? [],
    url: http?.url,
    headers: Object.keys(http?.headers ?? {}).sort(byCodeUnit),
    env: Object.keys(stdio?.env ?? {}).sort(byCodeUnit),
    bundle,
  };
}

/** `digest` of a row: the same declaration in the same files give the same. */
export function recordDigest(record: ServerRecord): string {
  return sha256(canonicalJson({ version: 1, ...record }));
}

/** The record of a list of tools, as the server gave it. */
export function toolRecord(
  tools: readonly { readonly name: string }[],
): ToolRecord {
  return new Map(
    tools.map((tool) => [tool.name, sha256(canonicalJson(tool))]),
  );
}

/** `tools` of a row; the order of the list does not matter. */
export function toolsDigest(record: ToolRecord): string {
  const tools = [...record].sort(([a], [b]) => byCodeUnit(a, b));
  return sha256(canonicalJson({ version: 1, tools }));
}

/** What differs between two declarations, in words; `files` of the bundles. */
export function declarationChanges(
  before: ServerRecord,
  after: ServerRecord,
  files?: string,
): string {
  const other = (label: string, one: unknown, two: unknown) =>
    canonicalJson(one ?? null) === canonicalJson(two ?? null)
      ? []
      : [`another ${label}`];
  return [
    ...other("command", before.command, after.command),
    ...other("list of arguments", before.args, after.args),
    ...other("address", before.url, after.url),
    ...differences("headers", before.headers, after.headers),
    ...differences("variables", before.env, after.env),
    ...before.bundle === after.bundle ? [] : [files ?? "files of the skill"],
  ].join("; ");
}

/** What differs between two lists of tools, in words. */
export function toolChanges(before: ToolRecord, after: ToolRecord): string {
  const changed = [...after].filter(([name, digest]) =>
    before.has(name) && before.get(name) !== digest
  ).map(([name]) => name);
  return [
    ...differences("tools", [...before.keys()], [...after.keys()]),
    ...named("tools changed", changed),
  ].join("; ");
}

/** What differs between two manifests of files, in words. */
export function fileChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string {
  const changed = [...after].filter(([path, digest]) =>
    before.has(path) && before.get(path) !== digest
  ).map(([path]) => path);
  return [
    ...named("files changed", changed),
    ...differences("files", [...before.keys()], [...after.keys()]),
  ].join("; ");
}

function differences(
  what: string,
  before: readonly string[],
  after: readonly string[],
): string[] {
  const [old, fresh] = [new Set(before), new Set(after)];
  return [
    ...named(`${what} added`, after.filter((name) => !old.has(name))),
    ...named(`${what} removed`, before.filter((name) => !fresh.has(name))),
  ];
}

function named(label: string, names: readonly string[]): string[] {
  return names.length === 0
    ? []
    : [`${label}: ${listed(names.map((name) => visible(name, 80)), NAMED)}`];
}
