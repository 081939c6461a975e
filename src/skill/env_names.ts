/** Which environment variables a script may ask for at all. */

import picomatch from "picomatch";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";

/**
 * Names no declaration and no grant can hand to a script: they steer a runtime,
 * a loader, a shell or this server. Compared without case.
 */
export const UNGRANTABLE: readonly string[] = [
  "DENO_*",
  "NODE_*",
  "OTEL_*",
  "LD_*",
  "DYLD_*",
  "GLIBC_TUNABLES",
  "MALLOC_*",
  "JSR_URL",
  "NPM_CONFIG_*",
  "SSL_CERT_*",
  "*_PROXY",
  "SKILLFENCE_*",
  "MCP_*",
  "BASH_ENV",
  "ENV",
  "SHELLOPTS",
  "PS4",
  "IFS",
  "PYTHON*",
  "PERL5*",
  "RUBY*",
  "JAVA_TOOL_OPTIONS",
  "GIT_*",
  "HOME",
  "PATH",
  "TMPDIR",
];

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Longest accepted name. */
const MAX_NAME = 256;

// One pattern for all: a list would be tried one by one for every name.
const isUngrantable = picomatch(`{${UNGRANTABLE.join(",")}}`, { nocase: true });

/**
 * Accepts a variable name that a script may ask for. Refuses with
 * `INVALID_ARGUMENTS` what is no identifier, and what is ungrantable, naming
 * the rule.
 */
export function checkEnvName(name: string): Result<string> {
  if (name.length > MAX_NAME || !IDENTIFIER.test(name)) {
    return refuse(
      "INVALID_ARGUMENTS",
      `"${visible(name, 80)}" is not a variable name`,
      `Use at most ${MAX_NAME} letters, digits and underscores, not starting with a digit.`,
    );
  }
  if (!isUngrantable(name)) return ok(name);
  const rule = UNGRANTABLE.find((pattern) =>
    picomatch.isMatch(name, pattern, { nocase: true })
  );
  return refuse(
    "INVALID_ARGUMENTS",
    `variable ${name} can never be handed to a script (rule ${rule})`,
    "Use a variable name of the skill's own.",
  );
}
