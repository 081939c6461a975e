/** One request from its first line to the end of its answer. */

import { isJsonContentType } from "@modelcontextprotocol/server";
import type { Logger } from "../server/log.ts";
import { internalRefusal } from "../server/errors.ts";
import { type BodyBounds, messagesIn, readJson } from "./body.ts";
import { allowOrigin, preflight } from "./cors.ts";
import { checkAddress, checkToken, type GateRules } from "./gate.ts";
import type { Limiter } from "./limiter.ts";
import { isListening, type Mcp } from "./mcp.ts";
import { paced, type ReaderBounds } from "./paced.ts";
import { type HttpRefusal, refusalResponse, refuseHttp } from "./refusals.ts";

/** What answers are made of. */
export interface EndpointOptions {
  readonly rules: GateRules;
  /** Callers that may go on. */
  readonly limiter: Limiter;
  /** Everybody who showed no token, together. */
  readonly strangers: Limiter;
  readonly body: BodyBounds;
  readonly reader: ReaderBounds;
  readonly mcp: Mcp;
  /** Whether calls are answered without waiting for the first scan. */
  readonly isReady: () => boolean;
  /** The page of `/metrics`. */
  readonly metrics: () => Promise<string>;
  /** Hears of every request that is refused here, by its status. */
  readonly turnedAway: (status: number) => void;
  readonly log: Logger;
}

/** Below this many bytes an answer is handed over whole. */
const SMALL = 64 * 1024;
const METHODS = "GET, POST, DELETE, OPTIONS";

/** Answers requests, and knows how many are under way. */
export class Endpoint {
  readonly #options: EndpointOptions;
  #underWay = 0;
  #draining = false;
  #idle: (() => void) | undefined;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  /** Answers. Never throws: a bug is a 500 and a line in the log. */
  async handle(request: Request): Promise<Response> {
    try {
      const answer = await this.#route(request);
      return answer instanceof Response ? answer : this.#turnAway(answer);
    } catch (error) {
      const { message } = internalRefusal(error, this.#options.log);
      return this.#turnAway(refuseHttp(500, message));
    }
  }

  /** Requests being answered, but for streams without an end. */
  get underWay(): number {
    return this.#underWay;
  }

  /** From here on only what is under way is answered. */
  drain(): void {
    this.#draining = true;
  }

  /** Resolves when nothing is under way but streams without an end. */
  idle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle = resolve);
  }

  #route(request: Request): Promise<Answer> | Answer {
    // With a Host like `x:y` there is no address, and it is no host either.
    const url = URL.parse(request.url);
    if (url === null) return refuseHttp(403, "Host header not of this server");
    switch (url.pathname) {
      case "/mcp":
        return this.#mcp(request);
      case "/healthz":
        return probe(request, true);
      case "/readyz":
        return probe(request, !this.#draining && this.#options.isReady());
      case "/metrics":
        return this.#metrics(request);
      default:
        // A strange Host changes what the runtime takes for the path.
        return checkAddress(request.headers, this.#options.rules.names) ??
          refuseHttp(404, "Nothing is here");
    }
  }

  async #metrics(request: Request): Promise<Answer> {
    if (!isRead(request)) return wrongMethod("GET, HEAD");
    const admitted = this.#admit(request);
    if (!admitted.ok) return admitted;
    return new Response(await this.#options.metrics(), {
      headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  }

  async #mcp(request: Request): Promise<Answer> {
    if (!METHODS.split(", ").includes(request.method)) {
      return wrongMethod(METHODS);
    }
    const address = checkAddress(request.headers, this.#options.rules.names);
    if (address !== undefined) return address;
    if (request.method === "OPTIONS") return preflight(request, METHODS);
    const answer = await this.#admitted(request);
    return allowOrigin(
      request,
      answer instanceof Response ? answer : this.#turnAway(answer),
    );
  }

  async #admitted(request: Request): Promise<Answer> {
    const admitted = this.#admit(request);
    if (!admitted.ok) return admitted;
    if (this.#draining) {
      return refuseHttp(503, "The server is ending", {
        "Connection": "close",
        "Retry-After": "1",
      });
    }
    const { caller } = admitted;
    const { limiter, body: bounds } = this.#options;
    const permits = new DisposableStack();
    const permit = limiter.enter(caller);
    if (!permit.ok) return permit;
    permits.use(permit);
    this.#underWay += 1;
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      permits.dispose();
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#idle?.();
    };
    try {
      const body = await readBody(request, bounds);
      if (!body.ok) {
        end();
        return body;
      }
      // The first message of a batch has its leave.
      const more = limiter.enterMany(caller, messagesIn(body.value) - 1);
      if (!more.ok) {
        end();
        return more;
      }
      permits.use(more);
      return await this.#serve(request, caller, body.value, end);
    } catch (error) {
      end();
      throw error;
    }
  }

  async #serve(
    request: Request,
    caller: string,
    body: unknown,
    end: () => void,
  ): Promise<Response> {
    const served = await this.#options.mcp.serve(request, caller, body);
    const { response } = served;
    // News may take for ever: such streams have bounds of their own.
    if (request.method === "GET" || isListening(body)) end();
    const done = () => {
      served.ended();
      end();
    };
    if (response.body === null) {
      done();
      return response;
    }
    if (isWhole(response)) {
      const bytes = await response.bytes();
      if (bytes.length < SMALL) {
        done();
        return new Response(bytes, response);
      }
      return this.#paced(new Response(bytes, response), done);
    }
    return this.#paced(response, done);
  }

  #paced(response: Response, done: () => void): Response {
    return new Response(
      paced(response.body!, this.#options.reader, done),
      response,
    );
  }

  #turnAway(refusal: HttpRefusal): Response {
    this.#options.turnedAway(refusal.status);
    return refusalResponse(refusal);
  }

  #admit(request: Request): ReturnType<typeof checkToken> {
    const { rules, strangers } = this.#options;
    const address = checkAddress(request.headers, rules.names);
    if (address !== undefined) return address;
    const admitted = checkToken(request.headers, rules);
    if (admitted.ok) return admitted;
    const permit = strangers.enter("");
    if (!permit.ok) return permit;
    permit[Symbol.dispose]();
    return admitted;
  }
}

type Answer = Response | HttpRefusal;

/** Says that it is up, or ready, and nothing else: whoever asks. */
function probe(request: Request, good: boolean): Answer {
  if (!isRead(request)) return wrongMethod("GET, HEAD");
  return new Response(good ? "ok\n" : "not ready\n", {
    status: good ? 200 : 503,
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
    },
  });
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

function wrongMethod(allow: string): HttpRefusal {
  return refuseHttp(405, "Method not allowed", { Allow: allow });
}

async function readBody(
  request: Request,
  bounds: BodyBounds,
): Promise<{ readonly ok: true; readonly value: unknown } | HttpRefusal> {
  if (request.method !== "POST") return { ok: true, value: undefined };
  if (!isJsonContentType(request.headers.get("content-type"))) {
    return refuseHttp(415, "Content-Type must be application/json");
  }
  return await readJson(request, bounds);
}

/** Whether the whole body is there already, as in an answer of one message. */
function isWhole(response: Response): boolean {
  return isJsonContentType(response.headers.get("content-type"));
}
