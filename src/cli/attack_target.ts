/** Making what hostile scripts aim at: files, servers and sockets of our own. */

import { join } from "node:path";
import type { Target } from "./attack_text.ts";

/** A target that exists until it is closed. */
export interface MadeTarget extends AsyncDisposable {
  /** What stands for `__TARGET__`. */
  readonly target: string;
  /** Times that a server or socket was reached, seen from its own end. */
  readonly reached: () => number;
}

/** Where a target is made, and what it holds. */
export interface TargetPlace {
  /** Absolute directory for files. */
  readonly dir: string;
  /** Absolute path for a socket, short enough for one. */
  readonly socket: string;
  readonly secret: string;
}

/** Makes one. Files are open to every account, so that only a fence holds. */
export async function makeTarget(
  kind: Target,
  { dir, socket, secret }: TargetPlace,
): Promise<MadeTarget> {
  switch (kind) {
    case "file":
      return await put(join(dir, "secret.txt"), `KEY=${secret}\n`);
    case "json":
      return await put(join(dir, "secret.json"), JSON.stringify({ secret }));
    case "module":
      return await put(
        join(dir, "secret.mjs"),
        `export const secret = "${secret}";\n`,
      );
    case "directory":
      await Deno.mkdir(dir, { recursive: true });
      await open(dir);
      return still(dir);
    case "server": {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const { port } = listener.addr;
      return served(listener, `http://127.0.0.1:${port}/`, secret);
    }
    case "socket": {
      const listener = Deno.listen({ transport: "unix", path: socket });
      await open(socket);
      return served(listener, socket, secret);
    }
    case "abstract": {
      const name = `skillfence-${crypto.randomUUID()}`;
      const path = `\0${name}`;
      const listener = Deno.listen({ transport: "unix", path });
      return served(listener, name, secret);
    }
    case "none":
      return still("nothing");
  }
}

async function put(target: string, text: string): Promise<MadeTarget> {
  await Deno.mkdir(join(target, ".."), { recursive: true });
  await Deno.writeTextFile(target, text);
  await open(join(target, ".."));
  await open(target);
  return still(target);
}

/** Mode bits out of the way: they are no part of what is tested. */
async function open(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  await Deno.chmod(path, 0o777);
}

function still(target: string): MadeTarget {
  return {
    target,
    reached: () => 0,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Answers everything with the secret, as a module. */
function served(
  listener: Deno.Listener,
  target: string,
  secret: string,
): MadeTarget {
  const body = `export const secret = "${secret}";\n`;
  const answer = new TextEncoder().encode(
    `HTTP/1.1 200 OK\r\ncontent-type: application/javascript\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  const open = new Set<Deno.Conn>();
  let reached = 0;
  const serve = async (connection: Deno.Conn) => {
    reached++;
    open.add(connection);
    try {
      // A client may be reset by an answer that comes before its request.
      await connection.read(new Uint8Array(4096));
      await connection.write(answer);
    } catch {
      // It is gone, and was counted.
    } finally {
      if (open.delete(connection)) connection.close();
    }
  };
  const ended = (async () => {
    for await (const connection of listener) void serve(connection);
  })().catch(() => {});
  return {
    target,
    reached: () => reached,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) connection.close();
      open.clear();
      await ended;
    },
  };
}
