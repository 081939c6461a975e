/** Something on loopback that a probed script may or may not get to. */

/** Accepts connections on a loopback port, counts and closes them. */
export class CountingListener {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  connections = 0;

  constructor() {
    this.#server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => {},
    }, () => {
      this.connections++;
      return new Response("ok");
    });
  }

  get port(): number {
    return this.#server.addr.port;
  }

  [Symbol.dispose](): void {
    void this.#server.shutdown();
  }
}
