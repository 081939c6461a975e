import assert from "node:assert/strict";
import fc from "fast-check";
import { join } from "node:path";
import {
  NOT_SET_UP,
  readStatus,
  wrapCommand,
  type Wrapped,
} from "../../src/os/wrapper.ts";
import { makeTree } from "../support/tree.ts";

const onUnix = { ignore: Deno.build.os === "windows" }; // it has no sh
const NONE: Wrapped = { limits: {}, command: ["/bin/true"] };

/** The shells found here that a system may have as /bin/sh. */
const SHELLS = ["dash", "bash", "busybox"].flatMap((name) => {
  for (const dir of ["/bin", "/usr/bin"]) {
    try {
      Deno.statSync(join(dir, name));
      return [join(dir, name)];
    } catch {
      // Not in this directory.
    }
  }
  return [];
});

/** Runs the wrapped command under each shell, as a system would have it. */
async function underEach(
  wrapped: Wrapped,
  check: (out: { code: number; stdout: string; stderr: string }) => void,
  options: { prefix?: string[]; uid?: number } = {},
): Promise<void> {
  await using tree = await makeTree();
  await Deno.chmod(tree.root, 0o755);
  assert.ok(SHELLS.length > 0, "no shell to test with");
  for (const shell of SHELLS) {
    const dir = tree.path(shell.replaceAll("/", "_"));
    await Deno.mkdir(dir);
    await Deno.symlink(shell, join(dir, "sh"));
    const [, ...args] = wrapCommand(wrapped);
    const [path, ...rest] = [
      ...options.prefix ?? [],
      join(dir, "sh"),
      ...args,
    ];
    const { code, stdout, stderr } = await new Deno.Command(path!, {
      args: rest,
      ...(options.uid === undefined
        ? {}
        : { uid: options.uid, gid: options.uid }),
    }).output();
    check({ code, stdout: text(stdout), stderr: text(stderr) });
  }
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Anything that can stand in an argument: no NUL, no lone surrogate. */
const hostile = fc.oneof(
  fc.constantFrom(
    `a"b'c`,
    "$(touch x)",
    "`id`",
    "two\nlines\n",
    "-c",
    "--",
    "; exit 1",
    "",
    "$1",
    "${@}",
    "\\",
    "*",
    "~",
    "é\u{202e}",
  ),
  fc.string({ unit: "binary" }).filter((item) => !item.includes("\0")),
);

Deno.test({
  name: "wrapCommand: the text is constant and every item arrives as it is",
  ...onUnix,
  async fn() {
    const constant = wrapCommand(NONE).slice(0, 4);
    assert.deepEqual(constant.slice(0, 2), ["/bin/sh", "-c"]);
    // One NUL after each item: no item can hold one.
    const print = ["/usr/bin/printf", "%s\\0"];
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostile, { minLength: 1, maxLength: 8 }),
        async (items) => {
          const [path, ...args] = wrapCommand({
            ...NONE,
            command: [...print, ...items],
          });
          assert.deepEqual([path, ...args.slice(0, 3)], constant);
          const out = await new Deno.Command(path!, { args }).output();
          assert.equal(text(out.stderr), "");
          assert.deepEqual(text(out.stdout).split("\0").slice(0, -1), items);
        },
      ),
      { numRuns: 60 },
    );
  },
});

Deno.test({
  name: "wrapCommand: names of programs, filters and status files are hostile",
  ...onUnix,
  async fn() {
    const name = `-q"'$(echo no)\n;x`;
    await using tree = await makeTree({
      [`${name}/run`]: `#!/bin/sh\nfor a; do printf '<%s>' "$a"; done; cat <&3
printf '{ "child-pid": 7 }\\n' >&4`,
      [`${name}/filter`]: "FILTER",
      [`${name}/status`]: "left by an earlier run, longer than the new",
    });
    await Deno.chmod(tree.path(`${name}/run`), 0o755);
    await underEach(
      {
        filter: tree.path(`${name}/filter`),
        status: tree.path(`${name}/status`),
        limits: {},
        command: [tree.path(`${name}/run`), name, "-x"],
      },
      ({ stdout, stderr, code }) => {
        assert.equal(stdout, `<${name}><-x>FILTER`);
        assert.equal(stderr, "");
        assert.equal(code, 0);
        assert.deepEqual(readStatus(tree.path(`${name}/status`)), {
          started: false,
          childPid: 7,
        });
      },
    );
  },
});

Deno.test({
  name: "wrapCommand: the limits are those asked for, whichever shell it is",
  ...onUnix,
  ignore: Deno.build.os !== "linux", // reads /proc
  async fn() {
    await underEach(
      {
        limits: {
          dataKiB: 2000,
          fileKiB: 64,
          cpuSeconds: 9,
          openFiles: 33,
        },
        command: ["/bin/cat", "/proc/self/limits"],
      },
      ({ stdout, stderr }) => {
        assert.equal(stderr, "");
        const limit = (name: string): string[] =>
          stdout.split("\n").find((line) => line.startsWith(name))!
            .slice(name.length).trim().split(/\s+/).slice(0, 2);
        assert.deepEqual(limit("Max data size"), ["2048000", "2048000"]);
        assert.deepEqual(limit("Max file size"), ["65536", "65536"]);
        assert.deepEqual(limit("Max cpu time"), ["9", "9"]);
        assert.deepEqual(limit("Max open files"), ["33", "33"]);
        assert.deepEqual(limit("Max core file size"), ["0", "0"]);
      },
    );
  },
});

Deno.test({
  name: "wrapCommand: what is not asked for stays as it is",
  ...onUnix,
  ignore: Deno.build.os !== "linux", // reads /proc
  async fn() {
    const own = await Deno.readTextFile("/proc/self/limits");
    const bare = (limits: string) =>
      limits.split("\n").filter((line) => !/core/.test(line)).join("\n");
    await underEach(
      { ...NONE, command: ["/bin/cat", "/proc/self/limits"] },
      // The runtime raises its own soft limit on open files.
      ({ stdout }) =>
        assert.equal(
          bare(stdout).replace(/Max open files +\d+/, ""),
          bare(own).replace(/Max open files +\d+/, ""),
        ),
    );
  },
});

Deno.test({
  name: "wrapCommand: descriptors 3 and 4 are closed where they are not wanted",
  ...onUnix,
  async fn() {
    const opening = ["-c", 'exec 3</etc/passwd 4<&3; exec "$@"', "x"];
    const command = [
      "/bin/sh",
      "-c",
      "(: <&3) 2>/dev/null && echo three; (: <&4) 2>/dev/null && echo four; echo end",
    ];
    await underEach(
      { ...NONE, command },
      ({ stdout }) => assert.equal(stdout, "end\n"),
      { prefix: ["/bin/sh", ...opening] },
    );
    const control = await new Deno.Command("/bin/sh", {
      args: [...opening, ...command],
    }).output();
    assert.equal(text(control.stdout), "three\nfour\nend\n");
  },
});

Deno.test({
  name: "wrapCommand: a plain command's start is told by the shell itself",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const status = tree.path("status");
    const command = [
      ...["/bin/sh", "-c"],
      '(: <&4) 2>/dev/null && echo four; cat "$0"; exit 125',
      status,
    ];
    await underEach(
      { status, plain: true, limits: { openFiles: 50 }, command },
      ({ code, stdout }) => {
        assert.equal(stdout, '{"started":true}\n');
        assert.equal(code, 125);
        assert.deepEqual(readStatus(status), { started: true });
      },
    );
    await underEach(
      { status, plain: true, limits: { openFiles: 2 ** 40 }, command },
      ({ code, stdout }) => {
        assert.equal(stdout, "");
        assert.equal(code, NOT_SET_UP);
        assert.deepEqual(readStatus(status), { started: false });
      },
    );
  },
});

const CANNOT: [string, Partial<Wrapped>][] = [
  ["data", { limits: { dataKiB: 200_000 } }],
  ["file", { limits: { fileKiB: 200_000 } }],
  ["cpu", { limits: { cpuSeconds: 200 } }],
  ["open files", { limits: { openFiles: 200 } }],
  ["filter", { filter: "/no/such/filter" }],
  ["status", { status: "/no/such/status" }],
];
for (const [what, parts] of CANNOT) {
  Deno.test({
    name: `wrapCommand: a ${what} that cannot be set ends it, nothing starts`,
    ...onUnix,
    async fn() {
      const root = Deno.uid() === 0;
      // Smaller hard limits, and no right to raise them.
      const lower =
        'ulimit -d 100000; ulimit -f 100; ulimit -t 100; ulimit -n 100; exec "$@"';
      await underEach(
        { ...NONE, command: ["/bin/echo", "started"], ...parts },
        ({ code, stdout, stderr }) => {
          assert.equal(stdout, "");
          assert.equal(code, NOT_SET_UP);
          assert.notEqual(stderr, "");
        },
        {
          prefix: ["/bin/sh", "-c", lower, "x"],
          ...(root ? { uid: 65534 } : {}),
        },
      );
    },
  });
}

Deno.test("wrapCommand: what is no limit is a mistake of the caller", () => {
  for (const dataKiB of [-1, NaN, Infinity]) {
    assert.throws(
      () => wrapCommand({ ...NONE, limits: { dataKiB } }),
      RangeError,
    );
  }
});

Deno.test("readStatus: lenient lines, and a start only where one is proved", async () => {
  await using tree = await makeTree();
  const cases: [string, ReturnType<typeof readStatus>][] = [
    ["", { started: false }],
    [`{ "child-pid": 12, "ipc-namespace": 4026532 }\n`, {
      started: false,
      childPid: 12,
    }],
    [`{ "child-pid": 12 }\n{ "exit-code": 0 }\n`, {
      started: true,
      childPid: 12,
      exitCode: 0,
    }],
    [`{"started":true}\n`, { started: true }],
    [`{"started":"true"}\n{"exit-code":"1"}`, { started: false }],
    [`{"exit-code":-1}\n{"child-pid":0}`, { started: false }],
    [`nonsense\n\n[1]\nnull\n{ "exit-code": 137 }`, {
      started: true,
      exitCode: 137,
    }],
    [`{ "child-pid": 12 }\n{ "exit-co`, { started: false, childPid: 12 }],
    [" ".repeat(4096) + `{"started":true}`, { started: false }],
  ];
  for (const [text, expected] of cases) {
    await Deno.writeTextFile(tree.path("status"), text);
    assert.deepEqual(readStatus(tree.path("status")), expected, text);
  }
  assert.deepEqual(readStatus(tree.path("missing")), { started: false });
});
