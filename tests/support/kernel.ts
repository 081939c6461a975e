/** What tests ask of the machine, and the one way to run without it. */

/** A thing that may be missing: a program, a kernel feature, files. */
export type Need =
  | "bwrap"
  | "userns"
  | "landlock"
  | "seccomp"
  | "headers"
  | "nginx"
  | "node22";

const NEEDS: readonly Need[] = [
  ...["bwrap", "userns", "landlock", "seccomp", "headers"] as const,
  ...["nginx", "node22"] as const,
];
const VARIABLE = "SKILLFENCE_TEST_WITHOUT";

/** Programs that show a need to be there; the rest is seen by its tests. */
const SHOWN_BY: Partial<Record<Need, readonly string[]>> = {
  bwrap: ["bwrap", "--version"],
  userns: ["unshare", "--user", "true"],
  nginx: ["/usr/sbin/nginx", "-v"],
};
const NOBODY = 65534;
/** Told once in each test file. */
const told = new Set<Need>();

/**
 * Options of a test that needs these. Where one is missing the test fails, as
 * it should, unless the environment says so: `SKILLFENCE_TEST_WITHOUT` lists,
 * separated by commas, what this machine is known to lack. A test of its own
 * names what is missing. Linux only.
 */
export function needs(...names: readonly Need[]): { ignore: boolean } {
  if (Deno.build.os !== "linux") return { ignore: true };
  const without = known(Deno.env.get(VARIABLE) ?? "");
  // Its programs exist for this processor only.
  if (names.includes("node22") && Deno.build.arch !== "x86_64") {
    return { ignore: true };
  }
  for (const name of names) {
    if (!without.includes(name) && !told.has(name)) tell(name);
  }
  return { ignore: names.some((name) => without.includes(name)) };
}

function tell(name: Need): void {
  told.add(name);
  const command = SHOWN_BY[name];
  if (command === undefined || works(command)) return;
  Deno.test(`this machine has ${name}`, () => {
    throw new Error(
      `${name} is missing: \`${
        command.join(" ")
      }\` fails. Where that is meant, set ${VARIABLE}=${name}`,
    );
  });
}

/** As an ordinary user, whom kernels refuse more. */
function works([program, ...args]: readonly string[]): boolean {
  try {
    return new Deno.Command(program!, {
      args,
      cwd: "/",
      stdin: "null",
      stdout: "null",
      stderr: "null",
      ...Deno.uid() === 0 ? { uid: NOBODY, gid: NOBODY } : {},
    }).outputSync().success;
  } catch {
    return false;
  }
}

function known(list: string): Need[] {
  return list.split(",").map((word) => word.trim()).filter((word) => word)
    .map((word) => {
      const need = NEEDS.find((one) => one === word);
      if (need === undefined) {
        throw new Error(
          `${VARIABLE}: "${word}" is none of ${NEEDS.join(", ")}`,
        );
      }
      return need;
    });
}
