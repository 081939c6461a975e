/** Watches all directories of a tree and prints how that went. */

import { systemEffects } from "../../src/watch/effects.ts";
import { Watcher } from "../../src/watch/watcher.ts";

const [root] = Deno.args;
const watcher = new Watcher({
  targets: [{ path: root!, root: 1, watch: true }],
  effects: systemEffects(),
  onWake: () => {},
});
watcher.start();
const below = [...Deno.readDirSync(root!)].map(({ name }) => `${root}/${name}`);
await watcher.cover(new Set([root!, ...below]));
const text = `${JSON.stringify(watcher.states())}\n`;
await Deno.stdout.write(new TextEncoder().encode(text));
watcher.closeSync();
