/**
 * What the structured tools answer. One flat schema a tool covers success and
 * refusal alike, because some clients check error results against it too; a
 * value that is not there is left out, never null.
 */

import * as z from "zod";
import { type DeepReadonly, PlanOutput } from "./plan_output.ts";
import { ServerShape } from "./server_shape.ts";

const refusal = {
  code: z.string().optional().describe(
    "refused: a stable word for the reason, e.g. NOT_GRANTED or BUSY.",
  ),
  message: z.string().optional().describe("refused: what was refused and why."),
  hint: z.string().optional().describe("What to do next."),
};

const listedSkill = z.object({
  name: z.string(),
  description: z.string().describe(
    "The author's words, cut at 1,536 characters; empty when there are none.",
  ),
  whenToUse: z.string().optional(),
  files: z.int().describe("How many files the skill serves."),
  bytes: z.int().describe("Their size together."),
  scripts: z.array(z.object({
    script: z.string(),
    interpreter: z.string(),
    timeoutMs: z.int(),
    env: z.array(z.string()).describe(
      "Names of the variables it may be handed.",
    ),
  })).describe("Scripts that may run here."),
  unavailableScripts: z.array(z.object({
    script: z.string(),
    reason: z.string(),
  })).describe("Declared, but no interpreter for them is here."),
  ungrantedScripts: z.array(z.string()).describe(
    "Declared, but the owner has not granted them.",
  ),
  declaredEgress: z.array(z.string()).describe(
    "Hosts the skill declares for its scripts.",
  ),
  kind: z.enum(["catalogue", "always", "keyword", "task", "path"]).describe(
    "What makes it come up in skill_match; catalogue: nothing, it is chosen.",
  ),
  hidden: z.string().optional().describe(
    "With hidden: why it is kept from models.",
  ),
  untrusted: z.boolean().optional().describe(
    "It comes from a workspace, not from a directory the owner chose.",
  ),
  hint: z.string().optional().describe("There when something is left out."),
});

const problem = z.object({
  severity: z.enum(["error", "warning", "note"]),
  skill: z.string().optional(),
  root: z.string().describe("The root as configured."),
  path: z.string().describe("Relative to the root."),
  reason: z.string().describe("A stable word, e.g. malformed-frontmatter."),
  detail: z.string(),
  hint: z.string().describe("How to fix it."),
  line: z.int().optional(),
  column: z.int().optional(),
});

const moved = z.object({
  added: z.array(z.string()).describe("Names of skills that are new."),
  removed: z.array(z.string()).describe("Names of skills that are gone."),
  changed: z.array(z.object({
    name: z.string(),
    skillFile: z.boolean().describe("SKILL.md, or what is read from it."),
    added: z.array(z.string()).describe("Paths below the skill."),
    removed: z.array(z.string()),
    changed: z.array(z.string()),
  })),
  references: z.array(z.string()).describe(
    "Ids of shared files that came, went or changed.",
  ),
  prompts: z.array(z.string()).describe(
    "Names of prompt files that came, went or changed.",
  ),
  more: z.int().optional().describe("Names and paths that are left out."),
});

const watched = z.object({
  root: z.int().optional().describe("Number of the root in roots, from 1."),
  folder: z.string().optional().describe(
    "Instead of root: which folder of skills of a workspace.",
  ),
  prompts: z.int().optional().describe(
    "Instead of root: number of a directory of prompts.",
  ),
  state: z.enum(["watching", "degraded", "off"]),
  reason: z.string().optional().describe("Why it is degraded."),
});

/** `skill_list`. A listing has no `status`; a refusal has `status: "refused"`. */
export const ListOutput = z.object({
  roots: z.array(z.string()).optional().describe("Directories searched."),
  rootsFrom: z.string().optional().describe(
    "MCP_SKILLS_PATH, --skills, SKILLS_DIR or bundled.",
  ),
  grantFrom: z.string().optional().describe(
    "MCP_SKILL_RUN, declaration or hosted-default.",
  ),
  notes: z.array(z.string()).optional().describe(
    "The server's own words about this listing; everything after them was written by strangers.",
  ),
  moved: moved.optional().describe("With reload: what that look found moved."),
  watch: z.array(watched).optional().describe(
    "How well changes are noticed without reload.",
  ),
  skills: z.array(listedSkill).optional(),
  problems: z.array(problem).optional(),
  nextCursor: z.string().optional().describe(
    "There is more: pass it as cursor, with the same query.",
  ),
  status: z.enum(["refused"]).optional(),
  ...refusal,
});

const flags = z.object({ stdout: z.boolean(), stderr: z.boolean() });
const counts = z.object({ stdout: z.int(), stderr: z.int() });
const encodingName = z.enum(["utf-8", "base64"]);
const encodings = z.object({ stdout: encodingName, stderr: encodingName });

const tried = z.array(z.object({
  what: z.string(),
  verdict: z.enum(["allowed", "denied"]),
  times: z.int(),
}));
const contacted = z.array(z.object({
  what: z.string(),
  verdict: z.enum(["allowed", "denied"]),
  times: z.int(),
  bytesOut: z.int().optional(),
  bytesIn: z.int().optional(),
  reason: z.string().optional(),
}));

const evidence = z.object({
  read: tried,
  write: tried,
  net: contacted,
  env: tried,
  sys: tried,
  run: tried,
  ffi: tried,
  import: tried,
  more: z.int().describe("Entries left out of the lists."),
  blind: z.array(z.string()).describe("What this record cannot show."),
});

/** `skill_preview` and `skill_run`. */
export const RunOutput = z.object({
  status: z.enum(["preview", "done", "refused"]),
  plan: PlanOutput.optional().describe(
    "preview, and some refusals: everything that would happen.",
  ),
  ...refusal,
  skill: z.string().optional(),
  script: z.string().optional(),
  interpreter: z.string().optional(),
  exitCode: z.int().optional().describe(
    "done: absent when the script was ended by a signal.",
  ),
  signal: z.string().optional().describe("done: the signal that ended it."),
  timedOut: z.boolean().optional(),
  overLimit: z.string().optional().describe(
    "done: the limit it went over, in words.",
  ),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  truncated: flags.optional(),
  omittedBytes: counts.optional(),
  encoding: encodings.optional(),
  outputs: z.array(z.object({
    id: z.string(),
    path: z.string(),
    size: z.int(),
    mediaType: z.string(),
    sha256: z.string(),
  })).optional().describe(
    "done: files it left behind; read one with skill_file and the path out:<id>.",
  ),
  durationMs: z.int().optional(),
  env: z.array(z.string()).optional().describe(
    "done: names of the variables it was handed.",
  ),
  planDigest: z.string().optional(),
  evidence: evidence.optional().describe(
    "done: what the script tried, allowed or denied; names in it are the script's own words.",
  ),
  limits: z.object({
    enforced: z.array(z.string()),
    notEnforced: z.array(z.string()),
  }).optional().describe("done: which limits held this run."),
  hints: z.array(z.string()).optional(),
});

const upstreamTool = z.object({
  tool: z.string(),
  description: z.string().optional().describe("The server's own words."),
  inputSchema: z.string().optional().describe(
    "JSON Schema of its arguments, as text.",
  ),
  trusted: z.boolean().describe("The owner's row lists it: no preview needed."),
  hint: z.string().optional(),
});

/** `skill_tools`. An answer has no `status`; a refusal has. */
export const ToolsOutput = z.object({
  skill: z.string().optional(),
  servers: z.array(ServerShape).optional().describe(
    "What the skill declares; nothing of it is started by this list.",
  ),
  server: z.string().optional().describe("With server: whose tools these are."),
  digest: z.string().optional().describe("Of that server's list of tools."),
  tools: z.array(upstreamTool).optional(),
  notes: z.array(z.string()).optional().describe(
    "The server's own words; everything else was written by strangers.",
  ),
  status: z.enum(["refused"]).optional(),
  ...refusal,
});

/** Answers of the structured tools. */
export type ToolsAnswer = DeepReadonly<z.input<typeof ToolsOutput>>;
export type ServerRow = NonNullable<ToolsAnswer["servers"]>[number];
export type ToolRow = NonNullable<ToolsAnswer["tools"]>[number];
export type ListAnswer = DeepReadonly<z.input<typeof ListOutput>>;
export type RunAnswer = DeepReadonly<z.input<typeof RunOutput>>;
