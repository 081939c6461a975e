/** Lays out a skill and its surroundings for one hostile script. */

import { join } from "node:path";
import { makeTree, type Tree } from "../../support/tree.ts";
import type { Attack } from "./attack.ts";

/** The text no script may ever see. */
export const SECRET = "canary-5b1f";

/** A staged attack: a root with one skill, and the target beside it. */
export interface Stage extends AsyncDisposable {
  readonly root: string;
  readonly skillDir: string;
  readonly dataDir: string;
  readonly target: string;
}

const FRONTMATTER = (interpreter: string, file: string, egress: string) =>
  `---
name: hostile
description: A hostile script.
mcp-host:
  version: 1
  run:
    - script: ${file}
      interpreter: ${interpreter}
      timeout: 20
${egress}---
Nothing to read.
`;

/**
 * Stages an attack. `inside` puts the target into the skill, where the flags
 * let the script read it; otherwise it lies beside the root.
 */
export async function stage(
  attack: Attack,
  options: { inside?: boolean; declare?: string } = {},
): Promise<Stage> {
  const tree = await makeTree({
    "outside": { dir: true },
    "data": { dir: true },
  });
  const skillDir = tree.path("root", "hostile");
  const near = options.inside ? join(skillDir, "target") : tree.path("outside");
  const { target, close } = await makeTarget(attack, near, tree);
  const declare = options.declare ?? "declared.example.com";
  await tree.write({
    "root/hostile/SKILL.md": FRONTMATTER(
      attack.file.endsWith(".cjs") ? "node" : "deno",
      attack.file,
      `  egress: ["${
        declare === "target" ? new URL(target).host : declare
      }"]\n`,
    ),
    [`root/hostile/${attack.file}`]: attack.source.replaceAll(
      "__TARGET__",
      target,
    ),
    ...Object.fromEntries(
      Object.entries(attack.also ?? {}).map(([path, text]) => [
        `root/hostile/${path}`,
        text.replaceAll("__TARGET__", target),
      ]),
    ),
  });
  return {
    root: tree.path("root"),
    skillDir,
    dataDir: tree.path("data"),
    target,
    async [Symbol.asyncDispose]() {
      await close();
      await tree[Symbol.asyncDispose]();
    },
  };
}

interface Made {
  readonly target: string;
  readonly close: () => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

async function makeTarget(
  attack: Attack,
  dir: string,
  tree: Tree,
): Promise<Made> {
  await Deno.mkdir(dir, { recursive: true });
  const put = async (path: string, text: string): Promise<Made> => {
    const target = join(dir, path);
    await Deno.mkdir(join(target, ".."), { recursive: true });
    await Deno.writeTextFile(target, text);
    return { target, close: nothing };
  };
  switch (attack.target) {
    case "file":
      return await put("secret.txt", `KEY=${SECRET}\n`);
    case "json":
      return await put("secret.json", JSON.stringify({ secret: SECRET }));
    case "module":
      return await put("secret.mjs", `export const secret = "${SECRET}";\n`);
    case "node_modules":
      return await put(
        "node_modules/s/index.cjs",
        `exports.secret = "${SECRET}";\n`,
      );
    case "directory":
      return { target: dir, close: nothing };
    case "server": {
      const server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        () =>
          new Response(`export const secret = "${SECRET}";`, {
            headers: { "content-type": "application/javascript" },
          }),
      );
      return {
        target: `http://127.0.0.1:${server.addr.port}/`,
        close: () => server.shutdown(),
      };
    }
    case "socket": {
      const target = tree.path("s.sock");
      const server = Deno.serve(
        { transport: "unix", path: target, onListen() {} },
        () => new Response(SECRET),
      );
      return { target, close: () => server.shutdown() };
    }
    case "none":
      return { target: "nothing", close: nothing };
  }
}
