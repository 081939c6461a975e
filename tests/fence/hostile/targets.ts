/** Targets that only the tests need. */

import { createSocket } from "node:dgram";
import { join } from "node:path";
import type {
  MadeTarget,
  TargetPlace,
} from "../../../src/cli/attack_target.ts";

const KINDS = [
  ...["node_modules", "process", "resolver"] as const,
  ...["websocket", "redirects", "requests", "secrets"] as const,
];
/** What they are; see `TestTarget`. */
export type OnlyInTests = typeof KINDS[number];

/** Whether a target is one of these. */
export function isOnlyInTests(kind: string): kind is OnlyInTests {
  return (KINDS as readonly string[]).includes(kind);
}

/** The account that scripts of a root server run as. */
const NOBODY = 65_534;

/** Makes one, as `makeTarget` does the others. */
export async function makeTestTarget(
  kind: OnlyInTests,
  { dir, secret }: TargetPlace,
): Promise<MadeTarget> {
  switch (kind) {
    case "node_modules": {
      const folder = join(dir, "node_modules", "s");
      await Deno.mkdir(folder, { recursive: true });
      const target = join(folder, "index.cjs");
      await Deno.writeTextFile(target, `exports.secret = "${secret}";\n`);
      return until(target, () => Promise.resolve());
    }
    case "process": {
      const child = new Deno.Command("sleep", {
        args: ["60"],
        ...(Deno.uid() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
      }).spawn();
      return until(String(child.pid), async () => {
        child.kill("SIGKILL");
        await child.status;
      });
    }
    case "resolver":
      return await resolver();
    case "websocket":
      return web((request) => {
        if (request.headers.get("upgrade") !== "websocket") {
          return { hit: true, response: new Response(secret) };
        }
        const { socket, response } = Deno.upgradeWebSocket(request);
        socket.onopen = () => socket.send(secret);
        return { hit: true, response };
      });
    case "redirects": {
      const other = web(() => ({ hit: true, response: new Response(secret) }));
      const port = new URL(other.target).port;
      const places: Readonly<Record<string, string>> = {
        "/to-localhost": `http://localhost:${port}/`,
        "/to-another": `http://127.0.0.2:${port}/`,
        "/to-file": `file://${dir}/secret.txt`,
        "/to-itself": "/there",
      };
      const first = web((request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/where") {
          return { hit: false, response: new Response(other.target) };
        }
        const location = places[pathname];
        const response = location === undefined
          ? new Response(secret)
          : new Response(null, { status: 302, headers: { location } });
        return { hit: false, response };
      });
      return {
        target: first.target,
        reached: other.reached,
        async [Symbol.asyncDispose]() {
          await first[Symbol.asyncDispose]();
          await other[Symbol.asyncDispose]();
        },
      };
    }
    case "requests":
      return web((request) => {
        const hit = request.headers.get("host") === "hidden";
        return { hit, response: new Response(hit ? secret : "as asked") };
      });
    case "secrets":
      return web((request) => {
        const sent = JSON.stringify([request.url, ...request.headers]);
        return { hit: sent.includes(secret), response: new Response("noted") };
      });
  }
}

/** A server on loopback that counts the requests that it is told to. */
function web(
  answer: (request: Request) => { hit: boolean; response: Response },
): MadeTarget {
  let reached = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => {
      const { hit, response } = answer(request);
      if (hit) reached++;
      return response;
    },
  );
  return {
    target: `http://127.0.0.1:${server.addr.port}/`,
    reached: () => reached,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function until(target: string, close: () => Promise<void>): MadeTarget {
  return { target, reached: () => 0, [Symbol.asyncDispose]: close };
}

/** Answers every name with 127.0.0.1 (RFC 1035). */
async function resolver(): Promise<MadeTarget> {
  let reached = 0;
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    reached++;
    const question = query.subarray(12);
    // deno-fmt-ignore
    const head = [query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0];
    // deno-fmt-ignore
    const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1];
    let end = 0;
    while (question[end] !== 0) end += question[end]! + 1;
    const answer = new Uint8Array([
      ...head,
      ...question.subarray(0, end + 5),
      ...record,
    ]);
    socket.send(answer, from.port, from.address);
  });
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound));
  return {
    ...until(
      `127.0.0.1:${socket.address().port}`,
      () => new Promise((closed) => socket.close(() => closed())),
    ),
    reached: () => reached,
  };
}
