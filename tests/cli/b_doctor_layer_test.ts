/** What a user is told about the operating system's layer, above all where it is off. */

import assert from "node:assert/strict";
import { readConfig } from "../../src/config/read_config.ts";
import { doctorReport } from "../../src/cli/doctor_report.ts";
import { causeOf, NOT_INSTALLED } from "../../src/os/bwrap_causes.ts";
import { encode, give, load, when } from "../../src/os/bpf.ts";
import {
  KERNEL,
  type SyscallName,
  syscallNumber,
} from "../../src/os/syscall_numbers.ts";
import { createEngine } from "../../src/server/engine.ts";
import { BWRAP_TEXTS } from "../os/bwrap_texts.ts";
import { needs } from "../support/kernel.ts";
import { makeTree } from "../support/tree.ts";
import { MAIN, skillfence } from "./command.ts";

Deno.test("doctor: every complaint of bubblewrap has its cause and its advice there", async () => {
  await using tree = await makeTree();
  const { config } = readConfig({
    env: { PATH: "", HOME: tree.root },
    flags: {},
    cwd: "/",
    bundledSkills: tree.root,
  });
  const engine = createEngine(config);
  try {
    const off = BWRAP_TEXTS.map(([text]) =>
      causeOf(text, { root: false, libraries: [] })
    ).concat(NOT_INSTALLED);
    const { confinement } = await doctorReport(
      {
        version: "0",
        descriptors: { closed: true, note: "" },
      } as Parameters<typeof doctorReport>[0],
      {
        ...engine,
        osState: () =>
          Promise.resolve({ wanted: "auto", layer: undefined, off }),
      },
      [],
    );
    const told = confinement.slice(1);
    assert.deepEqual(told.map(({ what }) => what), [
      ...BWRAP_TEXTS.map(([_, cause]) => cause),
      "not-installed",
    ]);
    for (const { what, text, advice } of told) {
      assert.ok(text.length > 20 && (advice ?? "").length > 20, what);
      // What is printed is cut at 600 characters.
      assert.ok((advice ?? "").length <= 600 && text.length <= 600, what);
    }
  } finally {
    engine.runner.closeSync();
  }
});

/** A kernel on which these calls give these errors. */
function kernelWith(
  errors: Partial<Record<SyscallName, number>>,
): Uint8Array {
  return encode([
    load(0),
    ...Object.entries(errors).flatMap(([name, errno]) => {
      const number = syscallNumber(Deno.build.arch, name as SyscallName)!;
      return when("equal", number, [give(KERNEL.SECCOMP_RET_ERRNO | errno)]);
    }),
    give(KERNEL.SECCOMP_RET_ALLOW),
  ]);
}

/** As in a container: nothing may be mounted, and Landlock is hidden. */
const BARE = kernelWith({
  mount: KERNEL.EPERM,
  landlock_create_ruleset: KERNEL.ENOSYS,
});
/** As in another: nothing may be mounted, and Landlock is there. */
const NO_MOUNTS = kernelWith({ mount: KERNEL.EPERM });

/**
 * Why bubblewrap is off there. In the namespace of an ordinary user nothing
 * belongs to root, so that no program is trusted.
 */
const [CAUSE, WHY] = Deno.uid() === 0
  ? ["mount-refused", "nothing may be mounted here"]
  : ["not-trusted", "bubblewrap can be replaced by others"];

const options = needs("bwrap", "userns", "landlock", "seccomp");

function skills() {
  return makeTree({
    "root/demo/SKILL.md":
      "---\nname: demo\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - { script: a.mjs, interpreter: deno }\n---\n",
    "root/demo/a.mjs": `console.log("the script ran")`,
  });
}

/** How a command ended; words are told apart by one blank. */
interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `skillfence ARGS` on such a kernel, in this machine's own /proc. */
async function on(
  kernel: Uint8Array,
  root: string,
  wanted: string,
  args: readonly string[],
): Promise<Told> {
  await using tree = await makeTree({ filter: new Uint8Array(kernel) });
  const { code, stdout, stderr } = await new Deno.Command("/bin/sh", {
    args: [
      ...["-c", 'exec 3<"$0"; exec "$@"', tree.path("filter"), "bwrap"],
      ...["--seccomp", "3", "--unshare-user", "--cap-add", "ALL"],
      ...["--dev-bind", "/", "/", "--", Deno.execPath(), "run", "-A"],
      ...["--no-prompt", MAIN, ...args],
    ],
    env: { SKILLS_DIR: root, SKILLFENCE_OS_FENCE: wanted },
  }).output();
  return { code, stdout: words(stdout), stderr: words(stderr) };
}

/** Lines are broken where a terminal is narrow. */
function words(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\s+/g, " ");
}

Deno.test({
  name:
    "no layer to be had: doctor, list and Plan say so and why, with advice, and layer 2 stands alone",
  ...options,
  async fn() {
    await using tree = await skills();
    const root = tree.path("root");
    const ran = await on(BARE, root, "auto", [
      ...["run", "demo", "a.mjs", "--confirm"],
    ]);
    assert.match(ran.stdout, /the script ran/, ran.stderr);
    const doctor = await on(BARE, root, "auto", ["doctor"]);
    for (
      const said of [
        new RegExp(` os off ${WHY}`),
        new RegExp(` ${CAUSE} ${WHY}`),
        /--security-opt apparmor=unconfined|Install the distribution's package/,
        / landlock-missing the kernel has no Landlock/,
        /Use Linux 6\.2 or later/,
      ]
    ) assert.match(doctor.stdout, said);
    const listed = await on(BARE, root, "auto", ["list", "--json"]);
    assert.match(
      listed.stdout,
      new RegExp(`os off .*${WHY}.*See: skillfence doctor`),
      listed.stderr,
    );
    const plan = await on(BARE, root, "auto", ["run", "demo", "a.mjs"]);
    assert.match(plan.stdout, new RegExp(`os: off, ${WHY}`));
    assert.match(plan.stdout, /confined by none, as the worker module/);
    assert.match(plan.stdout, /512 MiB of memory \(\d+ MiB with the runtime's/);
  },
});

Deno.test({
  name: "no layer to be had: with require nothing runs, and doctor exits 1",
  ...options,
  async fn() {
    await using tree = await skills();
    const root = tree.path("root");
    const args = ["run", "demo", "a.mjs", "--confirm"];
    const ran = await on(BARE, root, "require", args);
    assert.doesNotMatch(ran.stdout + ran.stderr, /the script ran/);
    assert.notEqual(ran.code, 0);
    assert.match(
      ran.stderr,
      new RegExp(`SKILLFENCE_OS_FENCE is require and ${WHY}`),
    );
    assert.equal((await on(BARE, root, "require", ["doctor"])).code, 1);
    // The control: with a layer to be had it runs.
    const held = await on(NO_MOUNTS, root, "require", args);
    assert.match(held.stdout, /the script ran/, held.stderr);
  },
});

Deno.test({
  name: "no namespaces to be had: Landlock takes their place, and why is told",
  ...options,
  async fn() {
    await using tree = await skills();
    const root = tree.path("root");
    const plan = await on(NO_MOUNTS, root, "auto", ["run", "demo", "a.mjs"]);
    assert.match(plan.stdout, /os: on, Landlock \(ABI \d+\)/, plan.stderr);
    assert.match(plan.stdout, /confined by landlock, as the worker module/);
    const doctor = await on(NO_MOUNTS, root, "auto", ["doctor"]);
    assert.match(doctor.stdout, / os on Landlock/);
    assert.match(doctor.stdout, new RegExp(` ${CAUSE} ${WHY}`));
  },
});

Deno.test({
  name: "bubblewrap in force: doctor, list and Plan say what rests on what",
  ...needs("bwrap", "userns", "seccomp"),
  async fn() {
    await using tree = await skills();
    const env = { SKILLS_DIR: tree.path("root") };
    const said =
      /file reads rest on layer 3 \(os\) alone.*all other permissions rest on both/;
    const plan = await skillfence(["run", "demo", "a.mjs"], { env });
    const listed = await skillfence(["list", "--json"], { env });
    const doctor = await skillfence(["doctor"], { env });
    for (const { stdout, stderr } of [plan, listed, doctor]) {
      const text = stdout.replace(/\s+/g, " ");
      assert.match(text, said, stderr);
      assert.match(text, /bubblewrap \d/);
    }
    assert.match(plan.stdout, /confined by +bwrap, as the main module/);
    assert.match(doctor.stdout, /wanted +SKILLFENCE_OS_FENCE is auto/);
  },
});
