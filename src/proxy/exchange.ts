/**
 * One request in absolute form: a fresh one is built from its URL, and its
 * response is passed back, without the values that were put in.
 */

import { answer, MALFORMED, type OwnAnswer } from "./answers.ts";
import { BrokenMessage } from "./byte_reader.ts";
import { acceptable } from "./decoding.ts";
import { type Destination, urlDestination } from "./destination.ts";
import { authorization } from "./dialer.ts";
import { passedOn, withHeader, without } from "./fresh_headers.ts";
import {
  type Framing,
  framingHeader,
  readBody,
  requestFraming,
  writeBody,
} from "./http_body.ts";
import {
  type Header,
  MAX_HEAD,
  readResponseHead,
  type RequestHead,
  type ResponseHead,
  valuesOf,
  wordsOf,
  writeHead,
} from "./http_head.ts";
import { passBack } from "./pass_back.ts";
import type { Replacement } from "./replacer.ts";
import type { Upstream } from "./route.ts";
import type { RunState } from "./run_state.ts";
import { joinWires, type Wire } from "./wire.ts";

/** One request, read and admitted. */
export interface Asked {
  readonly head: RequestHead;
  readonly framing: Framing;
  readonly to: Destination;
  /** It wants to become a WebSocket. */
  readonly socket: boolean;
}

/** Echoing a request back is all that they do. */
const NEVER: readonly string[] = ["TRACE", "TRACK"];
const REPEATABLE: readonly string[] = ["GET", "HEAD", "OPTIONS"];
const NO_ANSWER: OwnAnswer = {
  status: 502,
  error: "http_response_incomplete",
  text: "the host did not answer in HTTP",
};

/**
 * Serves one request. Resolves to whether the client's connection may carry
 * another; never rejects.
 */
export async function serveRequest(
  client: Wire,
  head: RequestHead,
  run: RunState,
): Promise<boolean> {
  const over = async (why: OwnAnswer) => {
    await answer(client, why, head.method);
    return false;
  };
  const asked = read(head);
  if (asked === undefined) return await over(MALFORMED);
  if (NEVER.includes(head.method.toUpperCase())) {
    const text = `${head.method} is not passed on`;
    return await over({ status: 405, error: "http_request_denied", text });
  }
  const via = asked.socket ? "tunnel" : "request";
  const refusal = run.refusal(asked.to, via);
  if (refusal !== undefined) return await over(refusal);
  const idle = asked.socket ? undefined : run.reuse(asked.to);
  if (idle !== undefined) {
    const done = await attempt(client, asked, { run, wire: idle, idle: true });
    if (done !== "stale") return done;
  }
  const reached = await run.reach(asked.to, via);
  if (!("wire" in reached)) return await over(reached);
  return await attempt(client, asked, { run, ...reached }) === true;
}

function read(head: RequestHead): Asked | undefined {
  const to = urlDestination(head.target);
  const framing = requestFraming(head);
  const hosts = valuesOf(head.headers, "host").length;
  if (to === undefined || framing === undefined) return undefined;
  if (hosts > 1 || (hosts === 0 && head.minor === 1)) return undefined;
  if (head.method === "CONNECT") return undefined;
  const socket = head.method === "GET" && framing.by === "none" &&
    wordsOf(head.headers, "upgrade").includes("websocket") &&
    wordsOf(head.headers, "connection").includes("upgrade");
  return { head, framing, to, socket };
}

/** By which connection a request goes. */
interface Way {
  readonly run: RunState;
  readonly wire: Wire;
  readonly absolute?: Upstream | undefined;
  /** It was used before, and its other side may be gone. */
  readonly idle?: boolean;
}

async function attempt(
  client: Wire,
  asked: Asked,
  way: Way,
): Promise<boolean | "stale"> {
  const { run, wire } = way;
  let over = false;
  const request = freshRequest(asked, way);
  const sending = new Sending(client, asked, { wire, head: request.head });
  // Who asked may leave while the host is still thinking.
  sending.done.then(async (sent) => {
    if (sent && !await client.reader.ready() && !over) wire.close();
  });
  try {
    const head = await responseHead(wire);
    if (head === "end" && way.idle && isRepeatable(asked)) return "stale";
    const strange = typeof head === "string" ||
      (head.status === 101 && !asked.socket);
    if (strange) {
      const why = sending.malformed ? MALFORMED : NO_ANSWER;
      await answer(client, why, asked.head.method);
      return false;
    }
    const passed = await passBack(client, asked, {
      head,
      wire,
      run,
      encoded: request.encoded,
    });
    if (passed.joined) await joinWires(client, wire);
    if (!sending.sent) return false;
    if (passed.reusable && way.absolute === undefined) {
      over = true;
      run.idle.keep(asked.to, wire);
    }
    return passed.open;
  } catch {
    // One of the two is gone, or the body broke: the client must see that.
    return false;
  } finally {
    if (!over) wire.close();
    over = true;
  }
}

function isRepeatable({ head, framing }: Asked): boolean {
  return framing.by === "none" && REPEATABLE.includes(head.method);
}

/** The head after all interim ones. */
async function responseHead(
  wire: Wire,
): Promise<ResponseHead | "bad" | "end"> {
  for (;;) {
    const bytes = await wire.reader.head(MAX_HEAD);
    if (typeof bytes === "string") return bytes;
    const head = readResponseHead(bytes);
    if (head === undefined) return "bad";
    if (head.status >= 200 || head.status === 101) return head;
  }
}

interface Outgoing {
  readonly wire: Wire;
  readonly head: Uint8Array;
}

/** The sending of a request, beside the reading of its response. */
class Sending {
  /** Resolves to whether all of it went out. Never rejects. */
  readonly done: Promise<boolean>;
  sent = false;
  /** The client's own body is not one. */
  malformed = false;

  constructor(client: Wire, asked: Asked, to: Outgoing) {
    this.done = this.#send(client, asked, to);
  }

  async #send(
    client: Wire,
    { head, framing }: Asked,
    to: Outgoing,
  ): Promise<boolean> {
    try {
      await to.wire.write(to.head);
      if (wordsOf(head.headers, "expect").includes("100-continue")) {
        await client.write(writeHead("HTTP/1.1 100 Continue", []));
      }
      await writeBody(to.wire, framing, readBody(client.reader, framing));
      this.sent = true;
    } catch (error) {
      this.malformed = error instanceof BrokenMessage;
      // A host may answer early and stop reading; half a body is never let be.
      if (this.malformed) to.wire.close();
    }
    return this.sent;
  }
}

function freshRequest(
  { head, framing, to, socket }: Asked,
  { run, absolute }: Way,
): { head: Uint8Array; encoded: readonly Replacement[] } {
  let headers: readonly Header[] = passedOn(head.headers);
  if (run.secrets.takenOut(to).length > 0) {
    headers = withHeader(
      // Part of an answer may begin or end within a value.
      without(headers, "Range", "If-Range", "A-IM"),
      "Accept-Encoding",
      acceptable(headers),
    );
  }
  const filled = run.secrets.putIn(headers, to);
  const connection: Header[] = socket
    ? [["Connection", "Upgrade"], ["Upgrade", "websocket"]]
    : [];
  const target = absolute === undefined
    ? to.path
    : `http://${to.authority}${to.path}`;
  const fresh = writeHead(`${head.method} ${target} HTTP/1.1`, [
    ["Host", to.authority],
    ...(absolute === undefined ? [] : authorization(absolute)),
    ...filled.headers,
    ...connection,
    ...framingHeader(framing),
  ]);
  return { head: fresh, encoded: filled.encoded };
}
