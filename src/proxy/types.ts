/** The proxy of one run, as the other rooms see it. */

import type { HostPattern } from "../skill/types.ts";

/** A variable whose value stays at the proxy. */
export interface HeldSecret {
  readonly name: string;
  readonly value: string;
  /** Where the value is put in: exact names with their ports. */
  readonly hosts: readonly HostPattern[];
}

/** What a proxy admits. */
export interface ProxyRules {
  readonly hosts: readonly HostPattern[];
  /** Private addresses that are meant; see `Reach`. */
  readonly openAddresses: readonly string[];
  /** Those of them, with a port, that stay shut: `127.0.0.1:443`. */
  readonly closedPorts: readonly string[];
  readonly secrets: readonly HeldSecret[];
}

/** One host and port that a script turned to, through the proxy. */
export interface Contact {
  readonly host: string;
  readonly port: number;
  /** `request`: the proxy spoke HTTP and TLS itself; `tunnel`: bytes only. */
  readonly via: "request" | "tunnel";
  readonly verdict: "allowed" | "denied";
  /** denied: why, in words without values. */
  readonly reason: string | undefined;
  readonly times: number;
  /** Bytes towards the host, and from it. */
  readonly bytesOut: number;
  readonly bytesIn: number;
}

/** Everything a run did through its proxy, capped. */
export interface ProxyRecord {
  readonly contacts: readonly Contact[];
  /** Contacts beyond the cap. */
  readonly more: number;
}

/** A proxy that listens. */
export interface RunProxy {
  /** Per secret name the word that stands for its value in this run. */
  readonly placeholders: ReadonlyMap<string, string>;
  /** Ends every connection and says what was done. Idempotent. */
  close(): Promise<ProxyRecord>;
  /** Ends every connection at once. For signal handlers. */
  closeSync(): void;
}
