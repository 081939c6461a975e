/** `${SKILL_ROOT}`, `${NAME}` and `${NAME:-default}` in a declaration. Pure. */

import type { DeclaredTransport } from "./server_fields.ts";

/** What names stand for; `SKILL_ROOT` is always one of them. */
export type Values = ReadonlyMap<string, string>;

/** A declaration with its values put in. */
export interface Expanded {
  readonly transport: DeclaredTransport;
  /** Names without a value and without a default, in order of mention. */
  readonly missing: readonly string[];
  /** Names whose values are in the arguments or the address, for all to see. */
  readonly exposed: readonly string[];
}

/** What the skill's own directory is called. */
export const SKILL_ROOT = "SKILL_ROOT";

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Puts values into arguments, values of variables, the address and headers;
 * into the command `SKILL_ROOT` alone. What was put in is not read again.
 */
export function expand(
  transport: DeclaredTransport,
  values: Values,
): Expanded {
  const missing = new Set<string>();
  const exposed = new Set<string>();
  const put = (text: string, open?: Set<string>) =>
    text.replace(REFERENCE, (whole, name: string, fallback?: string) => {
      const value = values.get(name);
      if (value !== undefined) {
        if (name !== SKILL_ROOT) open?.add(name);
        return value;
      }
      if (fallback !== undefined) return fallback;
      missing.add(name);
      return whole;
    });
  const all = (pairs: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(pairs).map(([name, value]) => [name, put(value)]),
    );
  const filled: DeclaredTransport = transport.kind === "stdio"
    ? {
      kind: "stdio",
      command: transport.command.replaceAll(
        `\${${SKILL_ROOT}}`,
        () => values.get(SKILL_ROOT) ?? `\${${SKILL_ROOT}}`,
      ),
      args: transport.args.map((arg) => put(arg, exposed)),
      env: all(transport.env),
    }
    : {
      kind: "http",
      url: put(transport.url, exposed),
      headers: all(transport.headers),
    };
  return { transport: filled, missing: [...missing], exposed: [...exposed] };
}
