/**
 * The server's own validation of arguments. The SDK's error for a bad argument
 * is text alone; ours is a refusal like every other.
 */

import type * as z from "zod";
import { nearest } from "../base/nearest.ts";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import { type JsonSchema, publish } from "./schemas/publish.ts";

/** Complaints in one message; the rest is counted. */
const MAX_NAMED = 3;

/**
 * The arguments as typed values, or `INVALID_ARGUMENTS` naming each wrong
 * argument, what came and what is accepted. Unknown arguments are refused by
 * name: ignored, they would make a caller believe they did something.
 */
export function readArguments<S extends z.ZodObject>(
  schema: S,
  raw: unknown,
): Result<z.output<S>> {
  const parsed = schema.safeParse(raw ?? {});
  if (parsed.success) return ok(parsed.data);
  const published = publish(schema);
  // One value may break two rules, and reads the same each time.
  const said = new Set<string>();
  let more = 0;
  for (const issue of parsed.error.issues) {
    const keys = issue.code === "unrecognized_keys" ? issue.keys : undefined;
    // A guess at what each was meant to be costs time; most are only counted.
    const named = keys?.slice(0, MAX_NAMED)
      .map((key) => unknownArgument(published, issue.path, key)) ??
      [wrongArgument(published, issue.path, raw)];
    named.forEach((each) => said.add(each));
    more += (keys?.length ?? 0) - (keys === undefined ? 0 : named.length);
  }
  more += Math.max(0, said.size - MAX_NAMED);
  return refuse(
    "INVALID_ARGUMENTS",
    [...said].slice(0, MAX_NAMED).join("; ") +
      (more > 0 ? `; and ${more} more` : ""),
    `Arguments: ${argumentList(published)}.`,
  );
}

/** A refusal about one argument, for rules that a flat schema cannot say. */
export function badArgument(
  name: string,
  came: string,
  accepted: string,
): Refusal {
  return refuse(
    "INVALID_ARGUMENTS",
    `argument "${name}": came ${came}; accepted: ${accepted}`,
    "Correct the argument and call again.",
  );
}

type Path = readonly PropertyKey[];

function unknownArgument(root: JsonSchema, path: Path, key: string): string {
  const names = Object.keys(schemaAt(root, path)?.properties ?? {});
  const name = spelled([...path, key]);
  const guess = nearest(key, names, 1)[0];
  return `unknown argument "${name}"` +
    (guess === undefined ? "" : ` (did you mean "${guess}"?)`);
}

function wrongArgument(root: JsonSchema, path: Path, raw: unknown): string {
  const node = schemaAt(root, path);
  const accepted = node === undefined ? "another value" : acceptedText(node);
  const value = valueAt(raw, path);
  if (path.length === 0) {
    return `came ${cameText(value)}; accepted: ${accepted}`;
  }
  return value === undefined
    ? `argument "${spelled(path)}" is missing; accepted: ${accepted}`
    : `argument "${spelled(path)}": came ${
      cameText(value)
    }; accepted: ${accepted}`;
}

/** `files[0].name` */
function spelled(path: Path): string {
  const text = path.map((key) =>
    typeof key === "number" ? `[${key}]` : `.${String(key)}`
  ).join("");
  return visible(text.replace(/^\./, ""), 100);
}

function schemaAt(root: JsonSchema, path: Path): JsonSchema | undefined {
  let node: JsonSchema | undefined = root;
  for (const key of path) {
    const properties: JsonSchema["properties"] = node?.properties;
    node = typeof key === "number"
      ? node?.items
      : properties !== undefined && Object.hasOwn(properties, key)
      ? properties[String(key)]
      : undefined;
  }
  return node;
}

function valueAt(raw: unknown, path: Path): unknown {
  let value = raw;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** What came, in words that cannot flood an answer. */
export function cameText(value: unknown): string {
  if (typeof value === "string") return `the text "${visible(value, 80)}"`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** What a schema accepts, in words. */
function acceptedText(node: JsonSchema): string {
  if (node.enum !== undefined) return `one of ${node.enum.join(", ")}`;
  switch (node.type) {
    case "string":
      if (node.pattern !== undefined) return `text matching ${node.pattern}`;
      return (node.minLength ?? 0) > 0
        ? `text of 1 to ${node.maxLength} characters`
        : node.maxLength === undefined
        ? "text"
        : `text of at most ${node.maxLength} characters`;
    case "integer":
      return `a whole number ${bounds(node.minimum, node.maximum, "from ")}`;
    case "boolean":
      return "true or false";
    case "array":
      return `a list of ${bounds(node.minItems, node.maxItems)} ${
        node.items?.type === "string" ? "texts" : "objects"
      }`;
    default:
      return node.properties === undefined
        ? node.additionalProperties === undefined ||
            typeof node.additionalProperties === "boolean" ||
            node.additionalProperties.type !== "string"
          ? "an object"
          : "an object of texts"
        : `an object with ${argumentList(node)}`;
  }
}

function bounds(min?: number, max?: number, both = ""): string {
  if (min !== undefined && max !== undefined) return `${both}${min} to ${max}`;
  return max === undefined ? `at least ${min ?? 0}` : `at most ${max}`;
}

/** `name, body?, filesOffset?`: optional ones carry a question mark. */
function argumentList(node: JsonSchema): string {
  const required = node.required ?? [];
  return Object.keys(node.properties ?? {})
    .map((name) => required.includes(name) ? name : `${name}?`)
    .join(", ");
}
