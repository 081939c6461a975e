/** Who the client of a connection says it is. */

/** Where a request of 2026-07-28 says it. */
const META_KEY = "io.modelcontextprotocol/clientInfo";

/** Learns the client's name from its requests, of either protocol line. */
export class ClientName {
  #name: string | undefined;

  /** Takes a request as it came. */
  hear({ params }: { readonly params?: unknown }): void {
    const info = member(params, "clientInfo") ??
      member(member(params, "_meta"), META_KEY);
    const name = member(info, "name");
    if (typeof name === "string") this.#name = name;
  }

  /** The name, made up by the client; undefined: it has said none. */
  get(): string | undefined {
    return this.#name;
  }
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null &&
      Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
