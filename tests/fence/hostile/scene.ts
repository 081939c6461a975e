/** Lays out a skill and its surroundings for one hostile script. */

import { join } from "node:path";
import { makeTarget } from "../../../src/cli/attack_target.ts";
import { fill } from "../../../src/cli/deep_test.ts";
import { makeTree, type Tree } from "../../support/tree.ts";
import type { Attack, Declares } from "./attack.ts";
import { isOnlyInTests, makeTestTarget } from "./targets.ts";

/** The text no script may ever see. */
export const SECRET = "canary-5b1f";

/** A staged attack: a root with one skill, and the target beside it. */
export interface Scene extends AsyncDisposable {
  readonly tree: Tree;
  /** The directory of skills. */
  readonly root: string;
  readonly skillDir: string;
  readonly dataDir: string;
  /** A directory beside the root, open to every account. */
  readonly outside: string;
  readonly target: string;
  /** Times that the target was reached, seen from its own end. */
  readonly reached: () => number;
  /** Rows for `MCP_SKILL_RUN`; undefined leaves it unset. */
  readonly grant: readonly unknown[] | undefined;
}

/**
 * Stages an attack. `inside` puts the target into the skill, where the flags
 * let the script read it; otherwise it lies outside.
 */
export async function stage(
  attack: Attack,
  options: { inside?: boolean } = {},
): Promise<Scene> {
  const tree = await makeTree({
    outside: { dir: true },
    data: { dir: true },
  });
  const root = tree.path(attack.root ?? "root");
  const skillDir = join(root, "hostile");
  const outside = tree.path("outside");
  if (Deno.build.os !== "windows") await Deno.chmod(outside, 0o777);
  const dir = options.inside ? join(skillDir, "target") : outside;
  const place = { dir, socket: tree.path("s.sock"), secret: SECRET };
  const { target: kind } = attack;
  const made =
    await (isOnlyInTests(kind)
      ? makeTestTarget(kind, place)
      : makeTarget(kind, place));
  const host = hostOf(made.target);
  const filled = (text: string) =>
    fill(text, made.target).replaceAll("__HOST__", host)
      .replaceAll("__PORT__", host.slice(host.lastIndexOf(":") + 1));
  await tree.write(
    Object.fromEntries(
      Object.entries({
        "SKILL.md": skillText(attack.file, attack.declares ?? {}),
        [attack.file]: attack.source,
        ...attack.also,
      }).map(([path, text]) => [
        `${attack.root ?? "root"}/hostile/${path}`,
        filled(text),
      ]),
    ),
  );
  return {
    tree,
    root,
    skillDir,
    dataDir: tree.path("data"),
    outside,
    target: made.target,
    reached: made.reached,
    grant: attack.grant && [
      JSON.parse(filled(JSON.stringify({
        skill: "hostile",
        script: attack.file,
        ...attack.grant,
      }))),
    ],
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
}

/** `127.0.0.1:1234` of a URL or an address; the text itself of anything else. */
function hostOf(target: string): string {
  return /^\w+:\/\/([^/]+)/.exec(target)?.[1] ?? target;
}

function skillText(file: string, declares: Declares): string {
  const { egress = ["declared.invalid"], env = [], timeout = 20 } = declares;
  const list = (items: readonly string[]) => JSON.stringify(items);
  return `---
name: hostile
description: A hostile script.
mcp-host:
  version: 1
  run:
    - script: ${file}
      interpreter: ${file.endsWith(".cjs") ? "node" : "deno"}
      timeout: ${timeout}
      env: ${list(env)}
${declares.sockets ? "      sockets: true\n" : ""}${
    declares.limits === undefined ? "" : `      limits: ${declares.limits}\n`
  }  egress: ${list(egress)}
${declares.more ?? ""}---
Nothing to read.
`;
}

/** The directory that the skill has below the data directory. */
export async function ownData({ dataDir }: Scene): Promise<string> {
  for await (const { name } of Deno.readDir(dataDir)) {
    return join(dataDir, name);
  }
  throw new Error("the skill has no data directory");
}
