/** `skillfence match`: answers a client's hook, fast or not at all. */

import { visible } from "../base/text.ts";
import type { CliHost } from "./host.ts";
import { type MatchArguments, matchArguments } from "./match/arguments.ts";
import { CLIENT_NAMES } from "./match/clients.ts";
import { answerDeadline, type Deadline } from "./match/deadline.ts";
import { readText } from "./match/stdin.ts";

/** Bytes of a payload. */
const MAX_PAYLOAD = 1024 * 1024;
const USAGE = `usage: match --stdin --client ${
  CLIENT_NAMES.join("|")
} [--within MS] [--skills DIR]... [--skill-dir JSON]... [--workspace DIR]...`;

/**
 * Answers one payload from standard input. Returns 0 whatever comes: a client
 * takes anything else for a fault of its hook. Only an answer goes to stdout;
 * mistakes of whoever set the hook up are told on stderr.
 */
export async function match(
  host: CliHost,
  args: readonly string[],
): Promise<number> {
  try {
    await say(host, matchArguments(args));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    host.screen.err(`skillfence: ${visible(why)}\n`);
  }
  return 0;
}

async function say(
  host: CliHost,
  asked: MatchArguments | undefined,
): Promise<void> {
  if (asked?.refresh === true) {
    const { refresh } = await import("./match/refresh.ts");
    return await refresh(host, asked);
  }
  if (asked?.stdin !== true || !CLIENT_NAMES.includes(asked.client ?? "")) {
    return host.screen.err(`skillfence: ${USAGE}\n`);
  }
  const deadline = answerDeadline(asked.withinMs);
  const text = await Promise.race([
    answerTo(host, asked, deadline),
    deadline.wait(undefined),
  ]);
  if (text !== undefined && !deadline.passed()) host.screen.out(`${text}\n`);
}

async function answerTo(
  host: CliHost,
  asked: MatchArguments,
  deadline: Deadline,
): Promise<string | undefined> {
  const { flags, client = "" } = asked;
  // It comes while the rest is loaded.
  const coming = readText(Deno.stdin, MAX_PAYLOAD);
  const { matchConfig } = await import("./match/ground.ts");
  const { answer } = await import("./match/answer.ts");
  const config = matchConfig(host, flags);
  if (!config.ok) {
    host.screen.err(`skillfence: ${visible(config.message)}\n`);
    return undefined;
  }
  const text = await coming;
  if (text === undefined) return undefined;
  const { value } = config;
  const { matchRoom: room } = await import("./match/room.ts");
  return await answer({
    host,
    config: value,
    flags,
    client,
    text,
    deadline,
    room,
  });
}
