import assert from "node:assert/strict";
import { linkedWith } from "../../src/os/libraries.ts";
import {
  launchArgs,
  type LaunchSpec,
  parseLaunch,
} from "../../src/os/launcher_spec.ts";
import { needs } from "../support/kernel.ts";
import { EVERYONE, makeScene, type Scene } from "./confined.ts";

const options = needs("landlock", "seccomp");
const [who] = EVERYONE;

const SPEC: LaunchSpec = {
  account: { uid: 65534, gid: 65533 },
  status: "/run/status",
  cwd: "/",
  network: "proxy",
  set: ["DENO_DIR=/a=b\n c"],
  rules: [
    { right: "exec", path: "/usr/bin/deno" },
    { right: "ro", path: "/a skill" },
    { right: "ro", path: "/ünder/--rw" },
    { right: "wo", path: "/audit" },
    { right: "rw", path: "/data" },
  ],
  system: ["/etc/hosts"],
  command: ["/usr/bin/deno", "run", "--ro", "--", "relative"],
};

Deno.test("parseLaunch: reads what launchArgs wrote", () => {
  assert.deepEqual(parseLaunch(launchArgs(SPEC)), SPEC);
  const sealed: LaunchSpec = { ...SPEC, unix: false };
  assert.deepEqual(parseLaunch(launchArgs(sealed)), sealed);
  const bare = { ...SPEC, account: undefined, set: [], rules: [], system: [] };
  assert.deepEqual(parseLaunch(launchArgs(bare)), bare);
});

Deno.test("parseLaunch: anything else is refused, without any of it in the words", () => {
  const good = ["--status", "/s", "--cwd", "/", "--network", "none"];
  const run = ["--", "/bin/true"];
  const wrong: string[][] = [
    [],
    good,
    [...good, "--"],
    [...good, "--", "bin/HOSTILE"],
    [...good, "--", "/bin/../HOSTILE"],
    [...good, "--HOSTILE", ...run],
    [...good, "--ro=/HOSTILE", ...run],
    [...good, "/HOSTILE", ...run],
    [...good, "--ro", ...run],
    [...good, "--ro", "", ...run],
    [...good, "--ro", "HOSTILE", ...run],
    [...good, "--ro", "./HOSTILE", ...run],
    [...good, "--ro", "/a/../HOSTILE", ...run],
    [...good, "--ro", "/HOSTILE/", ...run],
    [...good, "--ro", "//HOSTILE", ...run],
    [...good, "--ro", "<scratch>/HOSTILE", ...run],
    [...good, "--rw", "/HOSTILE\0/x", ...run],
    [...good, "--status", "/HOSTILE", ...run],
    [...good, "--network", "open", ...run],
    [...good, "--no-unix", "--no-unix", ...run],
    ["--status", "/s", "--cwd", "/", "--network", "HOSTILE", ...run],
    ["--status", "/s", "--cwd", "/", ...run],
    ["--status", "/s", "--network", "none", ...run],
    [...good, "--account", "0:0", ...run],
    [...good, "--account", "1:0", ...run],
    [...good, "--account", "1", ...run],
    [...good, "--account", "4294967295:1", ...run],
    [...good, "--account", "99999999999:1", ...run],
    [...good, "--account", "-1:1", ...run],
    [...good, "--account", "1:1", "--account", "2:2", ...run],
    [...good, "--account", ...run],
    [...good, "--set", "HOSTILE", ...run],
    [...good, "--set", "=HOSTILE", ...run],
    [...good, "--set", ...run],
  ];
  for (const args of wrong) {
    const said = parseLaunch(args);
    assert.equal(typeof said, "string", JSON.stringify(args));
    assert.doesNotMatch(String(said), /HOSTILE/);
  }
  assert.equal(typeof parseLaunch([...good, ...run]), "object");
});

/** Runs the launcher itself, with these rules and this command. */
async function launch(
  scene: Scene,
  { rules = [], command = [], ...more }: Partial<LaunchSpec>,
) {
  const env = await Deno.realPath("/usr/bin/env");
  const libraries = (await linkedWith(env)).libraries.map(({ from }) => from);
  return [
    ...scene.layer.launcher,
    ...launchArgs({
      account: scene.account,
      status: scene.tree.path("run", "status"),
      cwd: "/",
      network: "none",
      set: [],
      rules: [
        ...[env, ...libraries].map((path) =>
          ({ right: "exec", path }) as const
        ),
        ...rules,
      ],
      system: [],
      command: command.length === 0 ? [env] : command,
      ...more,
    }),
  ];
}

function test(name: string, fn: (scene: Scene) => Promise<void>): void {
  Deno.test({
    name: `launch: ${name}`,
    ...options,
    async fn() {
      await using scene = await makeScene(who!);
      await fn(scene);
    },
  });
}

test("says that it started, and hands the environment on byte by byte", async (scene) => {
  const command = await launch(scene, { set: ["DENO_DIR=/dir=x"] });
  const child = scene.start([
    ...["/bin/sh", "-c"],
    `export B="$(printf 'a\\377\\n=b')" Z= DENO_DIR=own DENO_DIRECTORY=1; exec "$@"`,
    "x",
    ...command,
    "-0",
  ]);
  const { code, stdout, stderr } = await child.output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const variables = new TextDecoder("latin1").decode(stdout).split("\0");
  const kept = variables.filter((one) => /^(Z|B|DENO_DIR\w*)=/.test(one))
    .sort();
  assert.deepEqual(kept, [
    "B=a\xff\n=b",
    "DENO_DIR=/dir=x",
    "DENO_DIRECTORY=1",
    "Z=",
  ]);
  const status = await Deno.readTextFile(scene.tree.path("run", "status"));
  assert.equal(status, '{"started":true}\n');
});

/** What keeps a command from being started, and how the status file names it. */
const OBSTACLES: Readonly<
  Record<string, readonly [(scene: Scene) => Partial<LaunchSpec>, RegExp]>
> = {
  "a path that is not there": [
    ({ tree }) => ({ rules: [{ right: "ro", path: tree.path("missing") }] }),
    /^{"failed":"ro .*missing","errno":2}\n$/,
  ],
  "a path that is a link": [
    ({ tree }) => ({ rules: [{ right: "ro", path: tree.path("link") }] }),
    /^{"failed":"ro .*link","errno":40}\n$/,
  ],
  "a path that a link leads to": [
    ({ tree }) => ({ rules: [{ right: "rw", path: tree.path("way", "dir") }] }),
    /^{"failed":"rw .*dir","errno":40}\n$/,
  ],
  "a directory that cannot be entered": [
    ({ tree }) => ({ cwd: tree.path("missing") }),
    /^{"failed":"chdir","errno":2}\n$/,
  ],
  "a program that is not there": [
    ({ tree }) => ({ command: [tree.path("missing")] }),
    /^{"failed":"execve","errno":2}\n$/,
  ],
  "a program without a rule": [
    () => ({ command: ["/bin/sh", "-c", "echo started"] }),
    /^{"failed":"execve","errno":13}\n$/,
  ],
  "a program that is none": [
    ({ tree }) => ({
      command: [tree.path("outside")],
      rules: [{ right: "exec", path: tree.path("outside") }],
    }),
    /^{"failed":"execve","errno":(8|13)}\n$/,
  ],
};

for (const [what, [spec, said]] of Object.entries(OBSTACLES)) {
  test(`${what} ends it before anything is started`, async (scene) => {
    await scene.tree.write({
      link: { link: "skill" },
      way: { link: "real" },
      "real/dir": { dir: true },
    });
    const command = await launch(scene, spec(scene));
    const ended = await scene.end(command);
    assert.equal(ended.code, 125, ended.stderr);
    assert.equal(ended.stdout, "");
    assert.equal(ended.started, false);
    assert.match(ended.status, said);
    assert.match(ended.stderr, /^skillfence: the script was not started: /);
  });
}

test("an account that cannot be taken on ends it", async (scene) => {
  // An ordinary user asks for another account; root asks as one without power.
  const command = await launch(scene, { account: { uid: 4242, gid: 4242 } });
  const powerless = Deno.uid() === 0
    ? ["setpriv", "--bounding-set=-setuid"]
    : [];
  const ended = await scene.end([...powerless, ...command]);
  assert.equal(ended.code, 125, ended.stderr);
  assert.match(ended.status, /^{"failed":"set(groups|resuid)","errno":1}\n$/);
  assert.equal(ended.started, false);
});

test("wrong arguments, or no status file, end it", async (scene) => {
  const wrong = await scene.end([...scene.layer.launcher, "--ro", "etc"]);
  assert.deepEqual([wrong.code, wrong.started], [125, false]);
  const status = scene.tree.path("missing", "status");
  const missing = await scene.end(await launch(scene, { status }));
  assert.equal(missing.code, 125);
  assert.match(missing.stderr, /status file: ENOENT/);
  await scene.tree.write({ aside: { link: "outside" } });
  const linked = await scene.end(
    await launch(scene, { status: scene.tree.path("aside") }),
  );
  assert.match(linked.stderr, /status file: ELOOP/);
  assert.equal(
    await Deno.readTextFile(scene.tree.path("outside")),
    "from outside",
  );
});

test("a server that is gone already ends it", async (scene) => {
  const command = await launch(scene, {});
  const ended = await scene.end([
    ...["/bin/sh", "-c", '"$@" | true; wait', "x"],
    ...command,
  ]);
  assert.match(ended.stderr, /output: ESRCH/);
  assert.equal(ended.started, false);
});
