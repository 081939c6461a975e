/** Everything that the connections of one run share. */

import { admits } from "../skill/host_sets.ts";
import type { OwnAnswer } from "./answers.ts";
import { Contacts } from "./contacts.ts";
import type { Destination } from "./destination.ts";
import type { Dialer } from "./dialer.ts";
import { IdleWires } from "./idle.ts";
import { NOT_GRANTED, ONLY_REQUESTS } from "./reasons.ts";
import type { Upstream } from "./route.ts";
import type { Secrets } from "./secrets.ts";
import type { Contact, ProxyRules } from "./types.ts";
import { type Tally, Wire } from "./wire.ts";

/** A connection to where a request or a tunnel goes. */
export interface Reached {
  readonly wire: Wire;
  /** The other side is a proxy that wants the whole URL. */
  readonly absolute: Upstream | undefined;
}

/** The state of one run's proxy. */
export class RunState {
  readonly secrets: Secrets;
  readonly contacts = new Contacts();
  readonly idle = new IdleWires();
  /** Clients wait for others to leave: no connection of theirs is kept. */
  crowded = false;
  readonly #rules: ProxyRules;
  readonly #dialer: Dialer;
  readonly #wires = new Set<Wire>();
  readonly #over: AbortSignal;

  constructor(
    options: {
      readonly rules: ProxyRules;
      readonly secrets: Secrets;
      readonly dialer: Dialer;
      readonly over: AbortSignal;
    },
  ) {
    this.#rules = options.rules;
    this.secrets = options.secrets;
    this.#dialer = options.dialer;
    this.#over = options.over;
    options.over.addEventListener("abort", () => {
      for (const wire of [...this.#wires]) wire.close();
    });
  }

  /** A connection that ends with the run at the latest. */
  adopt(conn: Deno.Conn, tally?: Tally): Wire {
    const closed = (wire: Wire) => void this.#wires.delete(wire);
    const wire = new Wire(conn, { tally, closed });
    this.#wires.add(wire);
    if (this.#over.aborted) wire.close();
    return wire;
  }

  /** Whether the run may go there; when not, that is noted and said. */
  refusal(to: Destination, via: Contact["via"]): OwnAnswer | undefined {
    if (!admits(this.#rules.hosts, to.host, to.port)) {
      return this.#denied(to, via, NOT_GRANTED);
    }
    return via === "tunnel" && this.secrets.closeTunnels(to)
      ? this.#denied(to, via, ONLY_REQUESTS)
      : undefined;
  }

  /** Notes one more request over an idle connection, and takes that. */
  reuse(to: Destination): Wire | undefined {
    const wire = this.idle.take(to);
    if (wire !== undefined) this.#allowed(to, "request");
    return wire;
  }

  /** Connects to an admitted destination, and notes what came of it. */
  async reach(
    to: Destination,
    via: Contact["via"],
  ): Promise<Reached | OwnAnswer> {
    const dialed = await this.#dialer.dial(to, via === "tunnel");
    if (dialed.ok) {
      const wire = this.adopt(dialed.conn, this.#allowed(to, via));
      return { wire, absolute: dialed.absolute };
    }
    if (dialed.denied) return this.#denied(to, via, dialed.reason);
    this.#allowed(to, via);
    return {
      status: 502,
      error: "destination_unavailable",
      text: `no connection to ${to.host} port ${to.port}: ${dialed.reason}`,
    };
  }

  #allowed({ host, port }: Destination, via: Contact["via"]): Tally {
    const reason = undefined;
    return this.contacts.note({ host, port, via, verdict: "allowed", reason });
  }

  #denied(
    { host, port }: Destination,
    via: Contact["via"],
    reason: string,
  ): OwnAnswer {
    this.contacts.note({ host, port, via, verdict: "denied", reason });
    return {
      status: 403,
      error: "http_request_denied",
      text: `${host} port ${port} ${denial(reason)}`,
    };
  }
}

function denial(reason: string): string {
  if (reason === ONLY_REQUESTS) return `takes no tunnel: ${reason}`;
  const denied = "is not granted to this script";
  return reason === NOT_GRANTED ? denied : `${denied}: ${reason}`;
}
