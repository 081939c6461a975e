/** A response on its way back to the client. */

import { answer } from "./answers.ts";
import { decode } from "./decoding.ts";
import type { Asked } from "./exchange.ts";
import { passedOn, staysOpen, without } from "./fresh_headers.ts";
import {
  type Framing,
  framingHeader,
  readBody,
  responseFraming,
  writeBody,
} from "./http_body.ts";
import {
  type Header,
  type ResponseHead,
  valuesOf,
  writeHead,
} from "./http_head.ts";
import { replaceIn, type Replacement } from "./replacer.ts";
import type { RunState } from "./run_state.ts";
import { replaceText } from "./secrets.ts";
import type { Wire } from "./wire.ts";

/** What became of the two connections. */
export interface Passed {
  /** The client's may carry another request. */
  readonly open: boolean;
  /** The host's was read to the end of the response, and stays open. */
  readonly reusable: boolean;
  /** Both carry a WebSocket from now on. */
  readonly joined: boolean;
}

/** Partial Content, and IM Used (RFC 3229): a value may be cut in two. */
const PARTIAL: readonly number[] = [206, 226];
const LOST: Passed = { open: false, reusable: false, joined: false };

/** Passes a response back. Rejects when a side is gone or the body is broken. */
export async function passBack(
  client: Wire,
  { head: request, to, socket }: Asked,
  from: {
    readonly head: ResponseHead;
    readonly wire: Wire;
    readonly run: RunState;
    /** What was put into the request in an encoding of its own. */
    readonly encoded: readonly Replacement[];
  },
): Promise<Passed> {
  const { head, wire } = from;
  const told = [...from.encoded, ...from.run.secrets.takenOut(to)];
  const clean = (text: string) => replaceText(text, told);
  const headers = passedOn(head.headers)
    .map(([name, value]): Header => [clean(name), clean(value)]);
  const first = `HTTP/1.1 ${head.status} ${clean(head.reason)}`;
  if (head.status === 101) {
    const upgrade: Header[] = [
      ["Connection", "Upgrade"],
      ["Upgrade", "websocket"],
    ];
    await client.write(writeHead(first, [...headers, ...upgrade]));
    return { ...LOST, joined: socket };
  }
  const framing = responseFraming(head, request.method);
  const raw = framing && readBody(wire.reader, framing);
  const partial = told.length > 0 && PARTIAL.includes(head.status);
  const body = raw && told.length > 0 && framing.by !== "none"
    ? decode(raw, head.headers)
    : raw;
  if (framing === undefined || body === undefined || partial) {
    const text = framing === undefined
      ? "the host did not answer in HTTP"
      : partial
      ? "a part of an answer cannot be searched for held secrets"
      : "the answer's coding cannot be searched for held secrets";
    const error = "http_response_coding";
    await answer(client, { status: 502, error, text }, request.method);
    return LOST;
  }
  const searched = body !== raw || (told.length > 0 && framing.by !== "none");
  const out = outFraming(framing, { searched, minor: request.minor });
  const open = staysOpen(request) && out.by !== "close" && !from.run.crowded;
  await client.write(writeHead(first, [
    ...(searched ? without(headers, "content-encoding") : headers),
    ...(framing.by === "none" && told.length === 0
      ? statedLength(head)
      : framingHeader(out)),
    ...(open ? [] : [["Connection", "close"] as const]),
  ]));
  await writeBody(client, out, searched ? replaceIn(body, told) : body);
  const reusable = staysOpen(head) && framing.by !== "close";
  return { open, reusable, joined: false };
}

function outFraming(
  framing: Framing,
  { searched, minor }: { searched: boolean; minor: number },
): Framing {
  if (framing.by === "none" || (framing.by === "length" && !searched)) {
    return framing;
  }
  return minor === 1 ? { by: "chunked" } : { by: "close" };
}

/** The length that an answer without a body states about another one. */
function statedLength({ headers, status }: ResponseHead): Header[] {
  if (status === 204) return [];
  return valuesOf(headers, "content-length")
    .map((value) => ["Content-Length", value]);
}
