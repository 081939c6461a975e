/** Stands for the server: starts a command, with or without its measure. */

import { keepDescriptorsFromChildren } from "../../src/fence/descriptors.ts";
import { ACCOUNT } from "./reachable.ts";

const [measure, denoDir = "", program = "", ...args] = Deno.args;
if (measure === "keep") keepDescriptorsFromChildren();
const { code } = await new Deno.Command(program, {
  args,
  cwd: "/",
  clearEnv: true,
  env: { DENO_DIR: denoDir, DENO_NO_UPDATE_CHECK: "1" },
  stdin: "null",
  stdout: "inherit",
  stderr: "inherit",
  ...ACCOUNT,
}).output();
Deno.exit(code);
