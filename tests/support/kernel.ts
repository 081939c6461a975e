/** What tests ask of the machine, and the one way to run without it. */

/** A thing that may be missing: a program, a kernel feature, files. */
export type Need = "bwrap" | "landlock" | "seccomp" | "headers";

const NEEDS: readonly Need[] = ["bwrap", "landlock", "seccomp", "headers"];
const VARIABLE = "SKILLFENCE_TEST_WITHOUT";

/**
 * Options of a test that needs these. Where one is missing the test fails, as
 * it should, unless the environment says so: `SKILLFENCE_TEST_WITHOUT` lists,
 * separated by commas, what this machine is known to lack. Linux only.
 */
export function needs(...names: readonly Need[]): { ignore: boolean } {
  if (Deno.build.os !== "linux") return { ignore: true };
  const without = known(Deno.env.get(VARIABLE) ?? "");
  return { ignore: names.some((name) => without.includes(name)) };
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
