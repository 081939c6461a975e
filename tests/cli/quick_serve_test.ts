import assert from "node:assert/strict";
import { flagsFrom } from "../../src/cli/flag_words.ts";
import { quickServe } from "../../src/cli/quick_serve.ts";

Deno.test("quickServe: recognises what clients start", () => {
  assert.deepEqual(quickServe([]), flagsFrom([]));
  assert.deepEqual(quickServe(["serve"]), flagsFrom([]));
  assert.deepEqual(
    quickServe(["serve", "--skills", "/a", "--no-run", "--skills=/b"]),
    { ...flagsFrom([]), skills: ["/a", "/b"], noRun: true },
  );
  assert.deepEqual(
    quickServe([
      "--skill-dir",
      '{"dir":"/a"}',
      "--skills=/b",
      "--prompt-dir=/p",
      "--prompt-file",
      "q.md",
      "--skip-native",
      "--poll=5",
    ]),
    {
      ...flagsFrom([]),
      skills: [{ json: '{"dir":"/a"}' }, "/b"],
      prompts: [{ dir: "/p" }, { file: "q.md" }],
      skipNative: true,
      poll: ["5"],
    },
  );
  assert.deepEqual(
    quickServe([
      "--http=unix:/s",
      "--host",
      "a",
      "--host=b",
      "--behind-tls-proxy",
      "--no-token",
      "--allow-run",
    ]),
    {
      ...flagsFrom([]),
      http: ["unix:/s"],
      hosts: ["a", "b"],
      behindTlsProxy: true,
      noToken: true,
      allowRun: true,
    },
  );
});

Deno.test("quickServe: leaves everything else to the parser", () => {
  for (
    const args of [
      ["list"],
      ["--help"],
      ["--version"],
      ["serve", "--json"],
      ["--skills"],
      ["--skills", "--no-run"],
      ["--no-run", "serve"],
      ["--no-run=1"],
      ["--poll"],
      ["--polls", "5"],
      ["serve", "serve"],
      ["--"],
    ]
  ) assert.equal(quickServe(args), undefined, args.join(" "));
});
