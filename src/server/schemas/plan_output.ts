/** The Plan as it is published: the same value, nulls left out. */

import * as z from "zod";
import type { Plan } from "../../fence/types.ts";

const sized = { bytes: z.int(), sha256: z.string() };

/** The published shape of a Plan. */
export const PlanOutput = z.object({
  skill: z.string(),
  script: z.string(),
  interpreter: z.string(),
  runtime: z.object({
    name: z.string(),
    version: z.string(),
    from: z.string(),
  }),
  argv: z.array(z.string()),
  permissions: z.array(z.string()).describe(
    "In words: what it reads, writes, reaches and is handed.",
  ),
  notes: z.array(z.string()),
  selfGranted: z.array(z.string()).describe(
    "Variables that only the skill itself granted: it runs only with this plan's digest.",
  ),
  layers: z.array(z.object({
    name: z.string(),
    on: z.boolean(),
    note: z.string(),
  })),
  env: z.object({
    handed: z.array(z.string()),
    granted: z.array(z.string()),
    notSet: z.array(z.string()),
    notGranted: z.array(z.string()),
    held: z.array(z.object({
      name: z.string(),
      hosts: z.array(z.string()),
      chosenBy: z.string(),
    })).describe("Handed over as placeholders; the proxy holds the values."),
  }).describe("Names of variables, never values."),
  dataDir: z.string().optional(),
  workspace: z.object({ dir: z.string(), mode: z.string() }).optional(),
  timeoutMs: z.int(),
  limits: z.object({
    memoryMiB: z.int().describe("What the script may use."),
    dataMiB: z.int().optional().describe(
      "The same with what the runtime needs for itself: its process's limit on data.",
    ),
    cpuSeconds: z.int(),
    fileMiB: z.int().describe("The largest file."),
    processes: z.int(),
    openFiles: z.int(),
    diskMiB: z.int().describe("Of scratch, outputs and data together."),
    files: z.int(),
    enforced: z.array(z.string()).describe("What holds on this machine."),
    notEnforced: z.array(z.string()).describe("What does not, and why."),
    outputBytesPerStream: z.int(),
    inputBytes: z.int(),
  }),
  stdin: z.object(sized).optional(),
  files: z.array(z.object({ ...sized, name: z.string() })),
  cwd: z.string(),
  scriptSha256: z.string(),
  bundle: z.object({
    digest: z.string(),
    files: z.int(),
    bytes: z.int(),
  }),
  digest: z.string().describe("Pass it to skill_run as planDigest."),
  confinement: z.object({
    by: z.enum(["bwrap", "landlock", "none"]),
    realm: z.enum(["main", "worker"]),
    network: z.enum(["none", "proxy", "open"]),
    uid: z.int().optional().describe("Absent: the server's own account."),
    command: z.array(z.string()).describe("Stands before flags."),
  }).describe("How the operating system confines it."),
  flags: z.array(z.string()).describe("The literal command line."),
});

/** A Plan without its nulls. */
export type PublishedPlan = DeepReadonly<z.input<typeof PlanOutput>>;

/** The same type with nothing to assign to. */
export type DeepReadonly<T> = T extends object
  ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
  : T;

/** Leaves out what is null; everything else stands as it is, in its order. */
export function publishPlan(plan: Plan): PublishedPlan {
  return withoutNulls({
    ...plan,
    confinement: withoutNulls(plan.confinement),
    limits: withoutNulls(plan.limits),
  });
}

/** The properties of `T`, those that may be null left out where they are. */
type WithoutNulls<T> =
  & { [K in keyof T as null extends T[K] ? never : K]: T[K] }
  & { [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]> };

function withoutNulls<T extends object>(value: T): WithoutNulls<T> {
  return Object.fromEntries(
    Object.entries(value).filter(([, item]) => item !== null),
  ) as WithoutNulls<T>;
}
