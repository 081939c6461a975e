/** One request from its first line to the end of its answer. */

import { isJsonContentType } from "@modelcontextprotocol/server";
import type { Logger } from "../server/log.ts";
import { internalRefusal } from "../server/errors.ts";
import type { AnswerRoom, Held } from "./answer_room.ts";
import { type BodyBounds, messagesIn, readBody } from "./body.ts";
import { allowOrigin, preflight } from "./cors.ts";
import { checkAddress, checkToken, type GateRules, pathSent } from "./gate.ts";
import type { Limiter } from "./limiter.ts";
import { isListening, type Mcp } from "./mcp.ts";
import { paced, type ReaderBounds } from "./paced.ts";
import { isRead, probe, wrongMethod } from "./probe.ts";
import { type HttpRefusal, refusalResponse, refuseHttp } from "./refusals.ts";
import { UnderWay } from "./under_way.ts";
import { wholeWithin } from "./whole.ts";

/** What answers are made of. */
export interface EndpointOptions {
  readonly rules: GateRules;
  /** Callers that may go on. */
  readonly limiter: Limiter;
  /** Everybody who showed no token, together. */
  readonly strangers: Limiter;
  readonly body: BodyBounds;
  readonly reader: ReaderBounds;
  /** Where large answers are held until they are sent. */
  readonly answers: AnswerRoom;
  /** Most bytes of the answer to a parsed body; 0 when it is small. */
  readonly weigh: (body: unknown) => Promise<number>;
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
  readonly #underWay = new UnderWay();
  #draining = false;

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
    return this.#underWay.count;
  }

  /** From here on only what is under way is answered. */
  drain(): void {
    this.#draining = true;
  }

  /** Resolves when nothing is under way but streams without an end. */
  idle(): Promise<void> {
    return this.#underWay.idle();
  }

  #route(request: Request): Promise<Answer> | Answer {
    // With a Host like `x:y` there is no address, and it is no host either.
    const url = URL.parse(request.url);
    if (url === null) return refuseHttp(403, "Host header not of this server");
    // `/x/../mcp` is not `/mcp`, though an address of it would be.
    const exact = pathSent(request.url) === url.pathname;
    switch (exact ? url.pathname : undefined) {
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
    const end = this.#underWay.begin(permits);
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
      const weight = await this.#options.weigh(body.value);
      const held = await this.#options.answers.enter(weight);
      if (!held.ok) {
        end();
        return held;
      }
      permits.use(held);
      const asked = { request, caller, body: body.value, weight };
      return await this.#serve(asked, held, end);
    } catch (error) {
      end();
      throw error;
    }
  }

  async #serve(
    { request, caller, body, weight }: Asked,
    held: Held,
    end: () => void,
  ): Promise<Answer> {
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
    // On a stream too, a large answer has its room until it is made: a client
    // that goes away meanwhile does not stop what makes it.
    const { stallMs } = this.#options.reader;
    if (isWhole(response) || weight > 0) {
      const bytes = isWhole(response)
        ? await response.bytes()
        : await wholeWithin(response.body, stallMs);
      if (bytes === undefined) {
        done();
        return refuseHttp(503, "The answer was not made in time");
      }
      held.is(bytes.length);
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

/** A request that is let in, with its body and what the answer may weigh. */
interface Asked {
  readonly request: Request;
  readonly caller: string;
  readonly body: unknown;
  readonly weight: number;
}

/** Whether the whole body is there already, as in an answer of one message. */
function isWhole(response: Response): boolean {
  return isJsonContentType(response.headers.get("content-type"));
}
