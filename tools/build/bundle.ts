/** Minified modules out of `main.ts`, with the build constants in them. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Carried } from "../../src/fence/carried.ts";
import { walkFiles } from "../walk_files.ts";
import { BuildError } from "./build_error.ts";
import { runDeno } from "./run_deno.ts";

/** The module whose constant a build sets, relative to the project. */
const CARRIED_MODULE = "src/fence/carried.ts";

/** Name of the entry among the files of a bundle. */
export const ENTRY = "main.js";

/**
 * Writes the bundle of `<root>/main.ts` into `directory`: `ENTRY` and, beside
 * it, what is loaded only when needed. In one file, everything behind a dynamic
 * import would be parsed at every start and escape the removal of dead code,
 * which doubles the time to the first answer.
 *
 * The constants come in by an import map that puts a generated module in the
 * place of `src/fence/carried.ts`; nothing in the bundle is edited.
 *
 * @throws {BuildError} unless the constants stand in the bundle exactly once.
 */
export async function bundle(
  root: string,
  carried: Carried,
  directory: string,
  workDir: string,
): Promise<void> {
  const generated = join(workDir, "carried.ts");
  await Deno.writeTextFile(
    generated,
    `export const CARRIED = ${JSON.stringify(carried)};\n`,
  );
  const config = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const map = join(workDir, "import_map.json");
  await Deno.writeTextFile(
    map,
    JSON.stringify({
      imports: {
        ...config.imports,
        [url(join(root, CARRIED_MODULE))]: url(generated),
      },
    }),
  );
  await runDeno(
    // deno-fmt-ignore
    ["bundle", "--quiet", "--minify", "--code-splitting", "--frozen",
      "--import-map", map, "--outdir", directory, join(root, "main.ts")],
    { cwd: root },
  );
  let times = 0;
  for await (const path of walkFiles(directory)) {
    const text = await Deno.readTextFile(join(directory, path));
    times += text.split(carried.sha256).length - 1;
  }
  if (times !== 1) {
    throw new BuildError(
      `the constants of ${CARRIED_MODULE} stand in the bundle ${times} times, not once`,
    );
  }
}

function url(path: string): string {
  return pathToFileURL(path).href;
}
