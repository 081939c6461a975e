/** Who may speak to `/mcp`: decided from the head of a request alone. */

import { isOwnHost, isOwnOrigin, type OwnNames } from "./names.ts";
import { type HttpRefusal, refuseHttp } from "./refusals.ts";
import { carriesToken } from "./token.ts";

/** What requests are held against. */
export interface GateRules {
  readonly names: OwnNames;
  /** Digest of the token; undefined: none is demanded. */
  readonly token: Uint8Array | undefined;
  /** Who everybody is where no token tells callers apart. */
  readonly tokenlessCaller: string;
}

/** A request that may go on. */
export interface Admitted {
  readonly ok: true;
  /** Stands for the caller: a digest, never the token. */
  readonly caller: string;
}

/** The realm of the challenge (RFC 9110, section 11.6.1). */
const CHALLENGE = 'Bearer realm="skillfence"';

/** Whether the request is meant for this server and comes from no other page. */
export function checkAddress(
  headers: Headers,
  names: OwnNames,
): HttpRefusal | undefined {
  if (!isOwnHost(headers.get("host"), names)) {
    return refuseHttp(403, "Host header missing or not of this server");
  }
  if (!isOwnOrigin(headers.get("origin"), names)) {
    return refuseHttp(403, "Origin not allowed");
  }
  return undefined;
}

/** Whether the caller shows the token, where one is demanded. */
export function checkToken(
  headers: Headers,
  { token, tokenlessCaller }: GateRules,
): Admitted | HttpRefusal {
  if (token === undefined) return { ok: true, caller: tokenlessCaller };
  const header = headers.get("authorization");
  if (!carriesToken(header, token)) {
    const error = header === null ? "" : ', error="invalid_token"';
    return refuseHttp(
      401,
      header === null ? "A bearer token is needed" : "The token is not right",
      { "WWW-Authenticate": CHALLENGE + error },
    );
  }
  return { ok: true, caller: token.toHex() };
}

/** The path of a URL as it was sent, with dots and all. */
export function pathSent(url: string): string | undefined {
  return /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1];
}
