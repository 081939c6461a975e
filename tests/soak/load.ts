/** Clients and edits that never rest until they are told to. */

import * as z from "zod";
import { connectHttp, type HttpServer } from "../http/server.ts";
import type { Json, Line, TestClient } from "../support/clients.ts";
import type { Tree } from "../support/tree.ts";

/** Skills that are there at the start. */
export const SKILLS = 40;

/** SKILL.md of a skill. */
export function skillText(name: string, word: string): string {
  return `---\nname: ${name}\ndescription: About ${name}, ${word}.\nreferences: [../shared/s.md]\n---\n${
    word.repeat(50)
  }\n`;
}

/** The tree that everything begins with. */
export function soakTree(): Record<string, string> {
  const entries: Record<string, string> = {
    "skills/shared/s.md": "Shared.\n",
    "prompts/p.md": "Prompt.\n",
  };
  for (let i = 0; i < SKILLS; i++) {
    entries[`skills/s-${i}/SKILL.md`] = skillText(`s-${i}`, "first");
    entries[`skills/s-${i}/docs/x.md`] = `x ${i}\n`.repeat(100);
  }
  return entries;
}

/**
 * Deno now and then loses the abort of a `fetch` whose signal was collected as
 * garbage; then a stream that the SDK's client closed stays open for good.
 * Until disposed of, the signal also ends what is read of the answer.
 */
export function fetchThatEnds(): Disposable {
  const { fetch } = globalThis;
  const { any } = AbortSignal;
  const set = (value: unknown) =>
    Object.defineProperty(AbortSignal, "any", { value, configurable: true });
  // Without it the SDK listens to both of its signals itself.
  set(undefined);
  globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const { body, status, headers } = answer;
    const signal = init?.signal;
    if (body === null || !signal) return answer;
    const ended = new TransformStream<Uint8Array<ArrayBuffer>>();
    body.pipeTo(ended.writable, { signal }).catch(() => {});
    return new Response(ended.readable, { status, headers });
  };
  return {
    [Symbol.dispose]: () => {
      globalThis.fetch = fetch;
      set(any);
    },
  };
}

/** Everything a client may ask, once. Returns how many answers it got. */
async function askAll(sdk: Json, turn: number): Promise<number> {
  const ask = (method: string, params: Json = {}) =>
    sdk.request({ method, params }, z.looseObject({}));
  const name = `s-${turn % SKILLS}`;
  const call = (tool: string, args: Json) =>
    ask("tools/call", { name: tool, arguments: args });
  await call("skill_list", { query: `about ${turn}` });
  await call("skill_load", { name });
  await call("skill_file", { name, path: "docs/x.md" });
  await ask("resources/list");
  await ask("resources/read", { uri: `skill://${name}/SKILL.md` });
  await ask("skills/list");
  await ask("prompts/list");
  return 7;
}

/** What the load has done. */
export interface Done {
  answers: number;
  sessions: number;
  notices: number;
  edits: number;
}

/** Edits the tree at a steady pace. */
export async function editing(
  tree: Tree,
  done: Done,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const name = `s-${n % SKILLS}`;
    const passing = `passing-${Math.floor(n / 5) % 10}`;
    switch (n % 5) {
      case 0:
        await tree.write({
          [`skills/${name}/SKILL.md`]: skillText(name, `edit${n}`),
        });
        break;
      case 1:
        await tree.write({
          [`skills/${passing}/SKILL.md`]: skillText(passing, `new${n}`),
          [`skills/${passing}/docs/y.md`]: "y\n",
        });
        break;
      case 2:
        await tree.write({ "skills/shared/s.md": `Shared ${n}.\n` });
        break;
      case 3:
        await tree.write({ "prompts/p.md": `Prompt ${n}.\n` });
        break;
      case 4:
        await Deno.remove(tree.path("skills", passing), { recursive: true });
        break;
    }
    done.edits++;
    await new Promise((end) => setTimeout(end, 250));
  }
}

/** HTTP clients of every line that come, subscribe, ask, hear and go. */
export async function visiting(
  server: HttpServer,
  line: Line,
  done: Done,
  signal: AbortSignal,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    await using client = await connectHttp(line, server);
    const { raw } = client;
    raw.fallbackNotificationHandler = () => {
      done.notices++;
      return Promise.resolve();
    };
    const stop = await subscribed(raw, line, turn);
    for (let n = 0; n < 3; n++) done.answers += await askAll(raw, turn + n);
    await stop();
    // A session that nobody ends stays until it has been idle for long.
    if (line !== "v2") await raw.transport.terminateSession();
    done.sessions++;
  }
}

/** A stdio client that stays; its subscriptions come and go. */
export async function staying(
  client: TestClient,
  done: Done,
  signal: AbortSignal,
): Promise<void> {
  client.sdk.fallbackNotificationHandler = () => {
    done.notices++;
    return Promise.resolve();
  };
  for (let turn = 0; !signal.aborted; turn++) {
    const stop = await subscribed(client.sdk, client.line, turn);
    for (let n = 0; n < 3; n++) {
      done.answers += await askAll(client.sdk, turn + n);
    }
    await stop();
  }
}

async function subscribed(
  sdk: Json,
  line: Line,
  turn: number,
): Promise<() => Promise<unknown>> {
  const uri = `skill://s-${turn % SKILLS}/SKILL.md`;
  if (line === "v2") {
    const listening = await sdk.listen({
      resourcesListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: [uri, "skillfence://skills"],
    });
    return () => listening.close();
  }
  await sdk.subscribeResource({ uri });
  return () => sdk.unsubscribeResource({ uri });
}
