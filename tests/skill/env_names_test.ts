import { deepEqual, match, ok } from "node:assert/strict";
import { checkEnvName, UNGRANTABLE } from "../../src/skill/env_names.ts";

Deno.test("checkEnvName: accepts a skill's own names", () => {
  for (
    const name of [
      "WEATHER_API_KEY",
      "_x",
      "a1",
      "ENVIRONMENT",
      "HOMEPAGE",
      "PATHS",
      "MYGIT_TOKEN",
      "GITHUB_TOKEN",
      "PROXY",
    ]
  ) {
    deepEqual(checkEnvName(name), { ok: true, value: name });
  }
});

Deno.test("checkEnvName: refuses what is no identifier", () => {
  for (
    const name of [
      "",
      "1A",
      "A-B",
      "A B",
      "A=B",
      "Ä",
      "A\n",
      "A\0",
      "A".repeat(257),
    ]
  ) {
    ok(!checkEnvName(name).ok, JSON.stringify(name));
  }
});

for (const rule of UNGRANTABLE) {
  Deno.test(`checkEnvName: refuses ${rule}, in any case, naming the rule`, () => {
    for (
      const name of [
        rule.replace("*", "X"),
        rule.replace("*", ""),
        rule.replace("*", "X").toLowerCase(),
      ]
    ) {
      const result = checkEnvName(name);
      ok(!result.ok, name);
      ok(result.message.includes(rule), result.message);
    }
  });
}

Deno.test("checkEnvName: the rules are the documented ones", () => {
  match(
    UNGRANTABLE.join(" "),
    /^DENO_\* NODE_\* OTEL_\* LD_\* DYLD_\* GLIBC_TUNABLES MALLOC_\* JSR_URL NPM_CONFIG_\* SSL_CERT_\* \*_PROXY SKILLFENCE_\* MCP_\* BASH_ENV ENV SHELLOPTS PS4 IFS PYTHON\* PERL5\* RUBY\* JAVA_TOOL_OPTIONS GIT_\* HOME PATH TMPDIR$/,
  );
});
