/** One declared MCP server, field by field. Pure. */

import { isRecord, own, shown } from "../skill/block_values.ts";
import { checkEnvName } from "../skill/env_names.ts";
import type { DeclaredServer } from "./types.ts";

/** How a declared server is reached. */
export type DeclaredTransport = DeclaredServer["transport"];

/** A server read: there, left out by its author, or why it cannot be. */
export type ReadServer =
  | { readonly transport: DeclaredTransport }
  | { readonly off: true }
  | { readonly why: string; readonly hint: string };

const MAX_TEXT = 8192;
const MAX_ARGS = 128;
const MAX_NAMES = 64;
/** What a name of a header may consist of (RFC 9110, token). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** Set by the connection itself. */
const OWN_HEADERS: readonly string[] = [
  ...["host", "connection", "content-length", "content-type"],
  ...["transfer-encoding", "upgrade", "te", "trailer", "accept"],
  ...["expect", "keep-alive", "proxy-authorization", "proxy-connection"],
];
/**
 * Names that steer a runtime and are harmless. Others of the ungrantable ones
 * would also steer what puts the fence around the server.
 */
const HARMLESS: readonly string[] = [
  ...["NODE_ENV", "NODE_NO_WARNINGS", "PYTHONUNBUFFERED", "PYTHONUTF8"],
  ...["PYTHONIOENCODING", "PYTHONDONTWRITEBYTECODE"],
];
const HTTP: readonly string[] = ["http", "streamable-http", "shttp"];

/** Reads what stands under a server's name. */
export function readServer(value: unknown): ReadServer {
  if (!isRecord(value)) {
    return no(
      `is ${shown(value)}, not a mapping`,
      "Write command and args below its name, or url.",
    );
  }
  if (own(value, "disabled") === true || own(value, "enabled") === false) {
    return { off: true };
  }
  const kind = kindOf(value);
  if (typeof kind === "object") return kind;
  return kind === "stdio" ? readStdio(value) : readHttp(value);
}

function kindOf(
  value: Record<string, unknown>,
): "stdio" | "http" | { why: string; hint: string } {
  const [type, transport] = [own(value, "type"), own(value, "transport")];
  if (type !== undefined && transport !== undefined && type !== transport) {
    return no("has a type and another transport", "Leave one of them out.");
  }
  const said = type ?? transport;
  if (said === "stdio") return "stdio";
  if (typeof said === "string" && HTTP.includes(said)) return "http";
  if (said === "sse") {
    return no(
      "has the transport sse, which the protocol gave up",
      "Serve it over Streamable HTTP, and write type: http.",
    );
  }
  if (said !== undefined) {
    return no(
      `has the unknown transport ${shown(said)}`,
      "Known are stdio and http.",
    );
  }
  const [command, url] = [own(value, "command"), own(value, "url")];
  if (command !== undefined && url !== undefined) {
    return no("has a command and a url", "Say which with type: stdio or http.");
  }
  if (url !== undefined) return "http";
  return command !== undefined
    ? "stdio"
    : no("has neither a command nor a url", "Give it one of them.");
}

function readStdio(value: Record<string, unknown>): ReadServer {
  const command = text(own(value, "command"));
  if (command === undefined || command === "") {
    return no("has no command that is text", "Write the program to start.");
  }
  const args = own(value, "args") ?? [];
  if (!Array.isArray(args) || args.length > MAX_ARGS) {
    return no(
      `has args that are no list of at most ${MAX_ARGS} texts`,
      "Write a list, one argument on each line after a -.",
    );
  }
  const read = args.map(text);
  const bad = read.findIndex((arg) => arg === undefined);
  if (bad >= 0) {
    return no(
      `has the argument ${shown(args[bad])}, which is not text`,
      "Put it in quotes.",
    );
  }
  const env = readPairs(value, "env");
  if ("why" in env) return env;
  for (const name of Object.keys(env.pairs)) {
    const checked = HARMLESS.includes(name) ? undefined : checkEnvName(name);
    if (checked?.ok === false) {
      return no(`has in its env: ${checked.message}`, checked.hint);
    }
  }
  const argsRead = read.filter((arg) => arg !== undefined);
  return {
    transport: { kind: "stdio", command, args: argsRead, env: env.pairs },
  };
}

function readHttp(value: Record<string, unknown>): ReadServer {
  const url = text(own(value, "url"));
  if (url === undefined || !/^(?:https?:\/\/|\$\{)/i.test(url)) {
    return no(
      "has no url that begins with https://",
      "Write the address of its MCP endpoint.",
    );
  }
  const headers = readPairs(value, "headers");
  if ("why" in headers) return headers;
  for (const name of Object.keys(headers.pairs)) {
    const folded = name.toLowerCase();
    const taken = OWN_HEADERS.includes(folded) || folded.startsWith("mcp-");
    if (taken || !TOKEN.test(name)) {
      return no(
        `has the header ${shown(name)}, which ${
          taken ? "the connection sets itself" : "is no name of one"
        }`,
        "Leave it out.",
      );
    }
  }
  return { transport: { kind: "http", url, headers: headers.pairs } };
}

function readPairs(
  value: Record<string, unknown>,
  key: "env" | "headers",
): { pairs: Record<string, string> } | { why: string; hint: string } {
  const given = own(value, key) ?? {};
  if (!isRecord(given) || Object.keys(given).length > MAX_NAMES) {
    return no(
      `has ${key} that are no mapping of at most ${MAX_NAMES} names`,
      "Write NAME: value, one on each line.",
    );
  }
  const pairs: Record<string, string> = Object.create(null);
  for (const [name, item] of Object.entries(given)) {
    const read = text(item);
    // The value may be a secret: only the name is told.
    if (read === undefined) {
      return no(
        `has in its ${key} a value of ${shown(name)} that is not text`,
        "Put it in quotes.",
      );
    }
    pairs[name] = read;
  }
  return { pairs };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= MAX_TEXT &&
      !value.includes("\0")
    ? value
    : undefined;
}

function no(why: string, hint: string): { why: string; hint: string } {
  return { why, hint };
}
