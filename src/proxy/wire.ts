/** One connection, read through a buffer, with its bytes counted. */

import { ByteReader } from "./byte_reader.ts";

/** Bytes written to a connection, and read from it. */
export interface Tally {
  bytesOut: number;
  bytesIn: number;
}

/** A connection. Reading goes through `reader`; nothing here throws on closing. */
export class Wire {
  readonly reader: ByteReader;
  readonly #conn: Deno.Conn;
  readonly #tally: Tally;
  readonly #closed: (wire: Wire) => void;
  #isClosed = false;

  /** `closed` is told once, when the connection is closed from this side. */
  constructor(
    conn: Deno.Conn,
    options: { readonly tally?: Tally; readonly closed?: (wire: Wire) => void },
  ) {
    const tally = options.tally ?? { bytesOut: 0, bytesIn: 0 };
    this.#conn = conn;
    this.#tally = tally;
    this.#closed = options.closed ?? (() => {});
    this.reader = new ByteReader({
      async read(into) {
        const count = await conn.read(into);
        tally.bytesIn += count ?? 0;
        return count;
      },
    });
  }

  /** Writes everything. Rejects when the connection is gone. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) {
      const count = await this.#conn.write(bytes.subarray(sent));
      this.#tally.bytesOut += count;
      sent += count;
    }
  }

  /** Says that nothing more is written. */
  async end(): Promise<void> {
    try {
      await this.#conn.closeWrite();
    } catch {
      // The other side was faster.
    }
  }

  /** Closes both directions. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#conn.close();
    } catch {
      // A failed handshake has closed it already.
    }
    this.#closed(this);
  }
}

/** Carries bytes both ways until both ends are through, then closes both. */
export async function joinWires(one: Wire, other: Wire): Promise<void> {
  await Promise.all([carry(one, other), carry(other, one)]);
  one.close();
  other.close();
}

async function carry(from: Wire, to: Wire): Promise<void> {
  try {
    for (;;) {
      const bytes = await from.reader.chunk();
      if (bytes === undefined) break;
      await to.write(bytes);
    }
    if (!from.reader.broken) return await to.end();
  } catch {
    // Whoever cannot be written to is gone, and so is the other direction.
  }
  from.close();
  to.close();
}
