/** Tokens: the owner's file, the one that is made, and what is printed. */

import assert from "node:assert/strict";
import {
  carriesToken,
  generatedToken,
  ownersToken,
  tokenDigest,
} from "../../src/http/token.ts";
import { skillfence } from "../cli/command.ts";
import { asRoot, NOBODY } from "../support/as_root.ts";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { startHttp } from "./server.ts";

const GOOD = "abcdefghijklmnopqrstuvwxyz-012345";

async function message(file: string): Promise<string> {
  const read = await ownersToken(file);
  return read.ok ? `ok ${read.value.text}` : read.message;
}

Deno.test("ownersToken: blanks around a token do not count, and the file is refused by what is wrong with it", async () => {
  await using tree = await makeTree({
    good: `\n ${GOOD} \n`,
    empty: "",
    blank: " \n",
    short: "abc\n",
    inner: `${GOOD} ${GOOD}`,
    umlaut: `${GOOD}ä`,
    long: "x".repeat(5000),
    open: GOOD,
    dir: { dir: true },
    link: { link: "good" },
    mounted: GOOD,
  });
  const at = (name: string) => tree.path(name);
  for (
    const name of ["good", "empty", "blank", "short", "inner", "umlaut", "long"]
  ) {
    await Deno.chmod(at(name), 0o600);
  }
  await Deno.chmod(at("open"), 0o644);
  await Deno.chmod(at("mounted"), 0o440);
  assert.equal(await message(at("good")), `ok ${GOOD}`);
  assert.equal(await message(at("link")), `ok ${GOOD}`);
  assert.equal(await message(at("mounted")), `ok ${GOOD}`);
  assert.match(await message(at("empty")), /fewer than 32/);
  assert.match(await message(at("blank")), /fewer than 32/);
  assert.match(await message(at("short")), /fewer than 32/);
  assert.match(await message(at("inner")), /no bearer token/);
  assert.match(await message(at("umlaut")), /no bearer token/);
  assert.match(await message(at("long")), /larger/);
  assert.match(await message(at("open")), /others may read/);
  assert.match(await message(at("dir")), /not a regular file/);
  assert.match(await message(at("none")), /cannot be read/);
});

Deno.test({
  name:
    "ownersToken: a file of another account is refused, even by root; one of root's is not",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ token: GOOD, link: { link: "token" } });
    const at = tree.path("token");
    await Deno.chmod(at, 0o600);
    assert.equal(await message(at), `ok ${GOOD}`);
    await Deno.chown(at, NOBODY.uid, NOBODY.gid);
    assert.match(await message(at), /belongs to another account/);
    assert.match(await message(tree.path("link")), /another account/);
  },
});

Deno.test("generatedToken: 256 bits in a file of mode 0600, the same at the next start and for two at once", async () => {
  await using tree = await makeTree();
  const all = await Promise.all(
    [1, 2, 3, 4].map(() => generatedToken(tree.root)),
  );
  const texts = all.map((each) => each.ok ? each.value.text : each.message);
  assert.equal(new Set(texts).size, 1, texts.join());
  assert.match(texts[0]!, /^[\w-]{43}$/);
  const info = await Deno.lstat(tree.path("http-token"));
  assert.equal(info.mode! & 0o777, 0o600);
  const names = [...Deno.readDirSync(tree.root)].map(({ name }) => name);
  assert.deepEqual(names, ["http-token"]);
  await Deno.chmod(tree.path("http-token"), 0o644);
  const open = await generatedToken(tree.root);
  assert.ok(!open.ok);
  assert.equal(
    open.message,
    `The file of the token made before, ${
      tree.path("http-token")
    }, cannot be used: others may read it, or its group write it`,
  );
  assert.match(open.hint, /^Remove it/);
});

Deno.test("carriesToken: the scheme in any case, the token as it stands", () => {
  const digest = tokenDigest(GOOD);
  assert.ok(carriesToken(`Bearer ${GOOD}`, digest));
  assert.ok(carriesToken(`bearer  ${GOOD}`, digest));
  for (
    const header of [
      null,
      "",
      GOOD,
      `Basic ${GOOD}`,
      `Bearer ${GOOD}x`,
      `Bearer ${GOOD.slice(1)}`,
      `Bearer ${GOOD},Bearer x`,
    ]
  ) assert.ok(!carriesToken(header, digest), String(header));
});

Deno.test({
  name:
    "http token: it is never printed, the next start reads the same, and the owner's file is used instead",
  ...processTest,
  async fn() {
    await using tree = await makeTree({
      "s/a/SKILL.md": "---\nname: a\n---\n",
    });
    await using cache = await makeTree();
    await Deno.chmod(cache.root, 0o700);
    const options = {
      skills: tree.path("s"),
      cacheDir: cache.root,
      env: { SKILLFENCE_LOG: "debug" },
    };
    let first: string | undefined;
    {
      await using server = await startHttp(options);
      first = server.token;
      assert.ok(!server.stderr().includes(first!));
      assert.equal(server.tokenFile, cache.path("http-token"));
    }
    {
      await using server = await startHttp(options);
      assert.equal(server.token, first);
    }
    await tree.write({ token: GOOD });
    await Deno.chmod(tree.path("token"), 0o600);
    await using server = await startHttp({
      ...options,
      env: { SKILLFENCE_TOKEN_FILE: tree.path("token") },
    });
    assert.equal(server.token, GOOD);
    const response = await server.fetch("/metrics");
    await response.body?.cancel();
    assert.equal(response.status, 200);
    const old = await server.fetch("/metrics", {
      headers: { authorization: `Bearer ${first}` },
    });
    await old.body?.cancel();
    assert.equal(old.status, 401);
  },
});

Deno.test({
  name:
    "http token: a token or key file that cannot be used ends the start with 2",
  ...processTest,
  async fn() {
    await using tree = await makeTree({ short: "abc", "s/README": "" });
    await Deno.chmod(tree.path("short"), 0o600);
    const args = ["serve", "--http", "127.0.0.1:0", "--skills", tree.path("s")];
    const token = await skillfence(args, {
      env: { SKILLFENCE_TOKEN_FILE: tree.path("short") },
    });
    assert.equal(token.code, 2);
    assert.match(token.stderr, /SKILLFENCE_TOKEN_FILE.*fewer than 32/);
    const key = await skillfence([...args, "--allow-run"], {
      env: {
        SKILLFENCE_CACHE_DIR: await privateDir(tree.path("cache")),
        SKILLFENCE_CONFIRM: "plan",
        SKILLFENCE_PLAN_KEY_FILE: tree.path("short"),
      },
    });
    assert.equal(key.code, 2);
    assert.match(key.stderr, /SKILLFENCE_PLAN_KEY_FILE.*fewer than 32/);
  },
});

async function privateDir(path: string): Promise<string> {
  await Deno.mkdir(path, { mode: 0o700 });
  return path;
}
