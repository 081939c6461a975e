import assert from "node:assert/strict";
import {
  accountFor,
  allows,
  changeable,
  unreachable,
  type Want,
} from "../../src/os/account.ts";
import type { Account } from "../../src/os/types.ts";
import { asRoot, NOBODY, runAs } from "../support/as_root.ts";
import { needs } from "../support/kernel.ts";
import { makeTree } from "../support/tree.ts";

const can = () => Promise.resolve(undefined);
const cannot = () => Promise.resolve("it lacks CAP_SETUID");

Deno.test("accountFor: a root server has an account for scripts, 65534 unless told", async () => {
  const account = async (configured: number | undefined) => {
    const chosen = await accountFor({ configured, selfUid: 0, obstacle: can });
    return chosen.ok && chosen.value;
  };
  assert.deepEqual(await account(undefined), {
    account: NOBODY,
    note: undefined,
  });
  assert.deepEqual(await account(1234), {
    account: { uid: 1234, gid: 1234 },
    note: undefined,
  });
});

Deno.test("accountFor: any other server runs scripts as itself, and says when it was told otherwise", async () => {
  const note = async (
    configured: number | undefined,
    selfUid: number | null,
  ) => {
    const obstacle = () => Promise.reject(new Error("nothing is tried"));
    const chosen = await accountFor({ configured, selfUid, obstacle });
    assert.ok(chosen.ok);
    assert.equal(chosen.value.account, undefined);
    return chosen.value.note;
  };
  assert.equal(await note(undefined, 1000), undefined);
  assert.equal(await note(1000, 1000), undefined);
  assert.match(await note(1001, 1000) ?? "", /SKILLFENCE_UID has no effect/);
  assert.match(await note(1001, null) ?? "", /SKILLFENCE_UID has no effect/);
});

Deno.test("accountFor: what cannot be is noted, and refused when it was asked for", async () => {
  const options = { selfUid: 0, obstacle: cannot };
  const chosen = await accountFor({ configured: undefined, ...options });
  assert.deepEqual(chosen.ok && chosen.value, {
    account: undefined,
    note:
      "scripts run as root: this server may not change its account (it lacks CAP_SETUID)",
  });
  const refused = await accountFor({ configured: 1234, ...options });
  assert.ok(!refused.ok);
  assert.equal(refused.code, "FENCE_UNAVAILABLE");
  assert.match(refused.message, /uid 1234, which SKILLFENCE_UID asks for/);
});

Deno.test({
  name:
    "accountFor: as root a program started so has that uid and gid, no groups and no capabilities",
  ...asRoot,
  async fn() {
    const chosen = await accountFor({ configured: 4242, selfUid: 0 });
    assert.ok(chosen.ok && chosen.value.account);
    const command = ["/bin/cat", "/proc/self/status"];
    const { out } = await runAs(chosen.value.account, command);
    const line = (name: string) =>
      new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, "m").exec(out)?.[1];
    assert.equal(line("Uid"), "4242\t4242\t4242\t4242");
    assert.equal(line("Gid"), "4242\t4242\t4242\t4242");
    assert.equal(line("Groups"), "");
    assert.match(line("CapEff") ?? "", /^0+$/);
  },
});

/** The choice of a server started by `prefix`, e.g. without a capability. */
async function chosenUnder(
  prefix: readonly string[],
  configured: number | undefined,
): Promise<unknown> {
  const module = new URL("../../src/os/account.ts", import.meta.url);
  const text = `import { accountFor } from ${JSON.stringify(module)};
    console.log(JSON.stringify(await accountFor({ configured: ${configured}, selfUid: Deno.uid() })));`;
  const [program = "", ...args] = [
    ...prefix,
    Deno.execPath(),
    "eval",
    "--no-lock",
    text,
  ];
  const { stdout, stderr } = await new Deno.Command(program, { args }).output();
  const out = new TextDecoder().decode(stdout);
  assert.ok(out, new TextDecoder().decode(stderr));
  return JSON.parse(out);
}

Deno.test({
  name: "accountFor: a root without one of the capabilities is found out",
  ...asRoot,
  async fn() {
    for (const capability of ["setuid", "setgid", "kill", "chown"]) {
      const under = ["setpriv", "--bounding-set", `-${capability}`];
      assert.deepEqual(await chosenUnder(under, undefined), {
        ok: true,
        value: {
          note:
            `scripts run as root: this server may not change its account (it lacks CAP_${capability.toUpperCase()})`,
        },
      });
    }
    const refused = await chosenUnder(
      ["setpriv", "--bounding-set", "-setuid"],
      65534,
    );
    assert.equal((refused as { code: string }).code, "FENCE_UNAVAILABLE");
    assert.deepEqual(await chosenUnder(["setpriv"], undefined), {
      ok: true,
      value: { account: NOBODY },
    });
  },
});

Deno.test({
  name:
    "accountFor: a root of a namespace that knows no other account is found out by trial",
  // bubblewrap needs such namespaces too.
  ignore: asRoot.ignore || needs("bwrap").ignore,
  async fn() {
    const under = ["unshare", "--user", "--map-root-user"];
    const chosen = await chosenUnder(under, undefined) as {
      value: { note: string };
    };
    assert.match(chosen.value.note, /no program can be started so/);
  },
});

/** Whether the system lets the account do it; `test` asks as the real account. */
async function systemAllows(
  path: string,
  want: Want,
  isDirectory: boolean,
): Promise<boolean> {
  const asked = {
    read: isDirectory ? ["-r", "-x"] : ["-r"],
    write: isDirectory ? ["-r", "-w", "-x"] : ["-r", "-w"],
    execute: isDirectory ? ["-x"] : ["-r", "-x"],
  }[want];
  for (const flag of asked) {
    const { code } = await runAs(NOBODY, ["/usr/bin/test", flag, path]);
    if (code !== 0) return false;
  }
  return true;
}

Deno.test({
  name: "unreachable: says of a file or directory what the system does",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "dir/x": "", file: "" });
    const owners = [[0, 0, 0], [0, NOBODY.gid, 3], [NOBODY.uid, 0, 6]] as const;
    for (const [uid, gid, shift] of owners) {
      for (let bits = 0; bits < 8; bits++) {
        // The other classes say the opposite, so that the right one counts.
        const mode = 0o777 ^ ((7 ^ bits) << shift);
        for (const name of ["dir", "file"]) {
          const path = tree.path(name);
          await Deno.chown(path, uid, gid);
          await Deno.chmod(path, mode);
          for (const want of ["read", "write", "execute"] as const) {
            assert.equal(
              unreachable(path, NOBODY, want) === undefined,
              await systemAllows(path, want, name === "dir"),
              `${want} ${name} of ${uid}:${gid} ${mode.toString(8)}`,
            );
          }
        }
      }
    }
  },
});

Deno.test({
  name: "unreachable: names the first directory on the way that is closed",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "a/b/c/file": "" });
    const path = tree.path("a", "b", "c", "file");
    assert.equal(unreachable(path, NOBODY, "read"), undefined);
    await Deno.chmod(tree.path("a", "b", "c"), 0o700);
    assert.equal(unreachable(path, NOBODY, "read"), tree.path("a", "b", "c"));
    await Deno.chmod(tree.path("a"), 0o744);
    assert.equal(unreachable(path, NOBODY, "read"), tree.path("a"));
    assert.equal((await runAs(NOBODY, ["/bin/cat", path])).code, 1);
    await Deno.chmod(tree.path("a"), 0o711);
    await Deno.chmod(tree.path("a", "b", "c"), 0o711);
    assert.equal(unreachable(path, NOBODY, "read"), undefined);
    assert.equal((await runAs(NOBODY, ["/bin/cat", path])).code, 0);
    const missing = tree.path("a", "none", "below");
    assert.equal(unreachable(missing, NOBODY, "read"), undefined);
    // A file is not gone through.
    assert.equal(unreachable(`${path}/x`, NOBODY, "read"), path);
  },
});

Deno.test({
  name: "changeable: what the account owns or may write, on the way or there",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "shared/dir/file": "" });
    const path = tree.path("shared", "dir", "file");
    const dir = tree.path("shared", "dir");
    assert.equal(changeable(path, NOBODY), undefined);
    await Deno.chmod(tree.path("shared"), 0o777);
    assert.equal(changeable(path, NOBODY), tree.path("shared"));
    // In a sticky directory only its own entries.
    await Deno.chmod(tree.path("shared"), 0o1777);
    assert.equal(changeable(path, NOBODY), undefined);
    await Deno.chown(dir, NOBODY.uid, 0);
    assert.equal(changeable(path, NOBODY), dir);
    await Deno.chown(dir, 0, 0);
    await Deno.chmod(path, 0o666);
    assert.equal(changeable(path, NOBODY), path);
    await Deno.chmod(path, 0o664);
    assert.equal(changeable(path, NOBODY), undefined);
    await Deno.chown(path, 0, NOBODY.gid);
    assert.equal(changeable(path, NOBODY), path);
  },
});

Deno.test("allows: without mode bits everything", () => {
  const bare = { mode: null, uid: null, gid: null, isDirectory: false };
  const account: Account = { uid: 1, gid: 1 };
  assert.equal(allows(bare, account, "write"), true);
});
