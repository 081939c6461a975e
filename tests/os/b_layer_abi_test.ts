import assert from "node:assert/strict";
import type { Kernel } from "../../src/os/kernel.ts";
import { createRuleset } from "../../src/os/landlock_abi.ts";
import { landlock } from "../../src/os/launcher_rules.ts";
import type { LaunchSpec } from "../../src/os/launcher_spec.ts";

const SPEC: LaunchSpec = {
  account: undefined,
  status: "/status",
  cwd: "/",
  network: "none",
  set: [],
  rules: [],
  system: [],
  command: ["/bin/true"],
};

/** A kernel of this Landlock ABI, and the attributes it was asked with. */
function kernelOf(abi: number): { kernel: Kernel; asked: bigint[][] } {
  const asked: bigint[][] = [];
  const call = (_name: string, attributes: unknown): number => {
    if (!(attributes instanceof Uint8Array)) return abi;
    asked.push([...new BigUint64Array(attributes.slice().buffer)]);
    return 9;
  };
  return { kernel: { call } as unknown as Kernel, asked };
}

Deno.test("launch: a kernel below ABI 3 is not taken, from there on it is", () => {
  for (
    const [abi, taken] of [[1, false], [2, false], [3, true], [
      7,
      true,
    ]] as const
  ) {
    const { kernel, asked } = kernelOf(abi);
    const results: number[] = [];
    for (const [_, act] of landlock(kernel, SPEC).rules) {
      const result = act();
      results.push(result);
      if (result < 0) break;
    }
    assert.equal(results.at(-1)! >= 0, taken, `ABI ${abi}`);
    assert.equal(asked.length, taken ? 1 : 0);
  }
});

Deno.test("createRuleset: handles what each ABI knows and nothing more", () => {
  // Rights on files, on TCP, and scopes; enum landlock_access_fs has 15 to ABI 4.
  const wanted: [number, [bigint, bigint, bigint]][] = [
    [3, [0x7fffn, 0n, 0n]],
    [4, [0x7fffn, 3n, 0n]],
    [5, [0xffffn, 3n, 0n]],
    [6, [0xffffn, 3n, 3n]],
    [7, [0xffffn, 3n, 3n]],
  ];
  for (const [abi, attributes] of wanted) {
    const { kernel, asked } = kernelOf(abi);
    createRuleset(kernel, { abi, ip: false });
    createRuleset(kernel, { abi, ip: true });
    assert.deepEqual(asked[0], attributes);
    assert.deepEqual(asked[1], [attributes[0], 0n, attributes[2]]);
  }
});
