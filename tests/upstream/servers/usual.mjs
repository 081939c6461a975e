// A server that does what it is asked, and shows what it can see.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import process from "node:process";
import { say, serve, text } from "./plain.mjs";

const ended = new Set();
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const tried = (work) => {
  try {
    return String(work());
  } catch (error) {
    return `${error.code ?? error.name}`;
  }
};

serve({
  echo: (args) => text(JSON.stringify(args)),
  where: () =>
    text(JSON.stringify({
      cwd: process.cwd(),
      files: readdirSync("."),
      env: process.env,
      uid: process.getuid?.(),
      args: process.argv.slice(2),
    })),
  keep: ({ name, words }) => {
    writeFileSync(`${process.env.MCP_DATA_DIR}/${name}`, words);
    return text("kept");
  },
  read: ({ path }) => text(tried(() => readFileSync(path, "utf8"))),
  write: ({ path }) => text(tried(() => writeFileSync(path, "x") ?? "written")),
  progress: async (_args, { params }) => {
    for (let step = 1; step <= 4; step++) {
      await wait(150);
      say({
        method: "notifications/progress",
        params: {
          progressToken: params._meta?.progressToken,
          progress: step,
          total: 4,
          message: `step ${step}\u202e`,
        },
      });
    }
    return text("done");
  },
  slow: async (_args, { id }) => {
    for (let turn = 0; turn < 200 && !ended.has(id); turn++) await wait(50);
    return undefined;
  },
  cancelled: () => text(String(ended.size)),
  wrong: () => ({ ...text("did not work\u0007"), isError: true }),
  unix: ({ path }) =>
    new Promise((resolve) => {
      const socket = connect({ path });
      socket.on("connect", () => resolve(text("connected")));
      socket.on("error", ({ code }) => resolve(text(`failed ${code}`)));
    }),
  fetch: async ({ url }) => {
    try {
      return text(`status ${(await fetch(url)).status}`);
    } catch (error) {
      return text(`failed ${error.cause?.code ?? error.name}`);
    }
  },
}, { cancelled: (id) => ended.add(id) });
