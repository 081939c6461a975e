/**
 * JSON that the text tools put into a content block. It is documented like the
 * structured answers, but no tool declares it as its output schema: a
 * structured half would hide the text for reading in some clients.
 */

import * as z from "zod";
import type { DeepReadonly } from "./plan_output.ts";
import { ServerShape } from "./server_shape.ts";

/** The manifest of `skill_load`: its last content block. */
export const LoadManifestShape = z.object({
  name: z.string(),
  description: z.string(),
  whenToUse: z.string().optional(),
  source: z.string().describe("The root it comes from, as configured."),
  digest: z.string().describe(
    "sha256 of the text as its author wrote it; skill_match tells the same.",
  ),
  activation: z.object({
    kind: z.enum(["catalogue", "always", "keyword", "task", "path"]),
    keywords: z.array(z.string()).optional(),
    globs: z.array(z.string()).optional(),
  }).describe("What makes the skill come up in skill_match."),
  untrusted: z.boolean().optional().describe(
    "It comes from a workspace, not from a directory the owner chose.",
  ),
  workspace: z.string().optional().describe("The workspace it comes from."),
  inputs: z.array(z.object({
    name: z.string(),
    description: z.string().optional(),
    required: z.boolean(),
    choices: z.array(z.string()).optional().describe(
      "Proposals; other values are accepted too.",
    ),
  })).optional().describe("What a task skill asks for: pass it in inputs."),
  commands: z.array(z.object({
    command: z.string(),
    outcome: z.enum([
      "ran",
      "failed",
      "refused",
      "not-granted",
      "limit",
      "not-run",
    ]),
    why: z.string().optional(),
  })).optional().describe(
    "Commands in the text, in order. Their output is a program's, not the author's words.",
  ),
  mcpServers: z.array(ServerShape).optional().describe(
    "MCP servers it declares: see skill_tools.",
  ),
  truncated: z.boolean().describe("The body is cut at 256 KiB of SKILL.md."),
  files: z.array(z.object({ path: z.string(), size: z.int() })),
  nextFilesOffset: z.int().optional().describe(
    "There are more files: pass it as filesOffset.",
  ),
  uri: z.string().optional().describe(
    "Address of SKILL.md, when resources serve the skill.",
  ),
  metadata: z.record(z.string(), z.unknown()).optional().describe(
    "The frontmatter but for title, description and references; size, modified and created of SKILL.md; on stdio where it lies.",
  ),
  references: z.array(z.object({
    id: z.string().optional().describe(
      "<root number>:<path>; read it with skill_file.",
    ),
    name: z.string(),
    size: z.int().optional(),
    modified: z.string().optional(),
    created: z.string().optional(),
    status: z.enum(["not-found"]).optional(),
    uri: z.string().optional().describe("Of its copy in this skill."),
    fileUri: z.string().optional().describe("On stdio only."),
    metadata: z.record(z.string(), z.unknown()).optional().describe(
      "Its own frontmatter.",
    ),
    block: z.int().optional().describe(
      "With bundle: index of the content block with its text, without frontmatter.",
    ),
  })).describe("Shared files, in declared order."),
  scripts: z.array(z.object({
    script: z.string(),
    interpreter: z.string(),
    runnableHere: z.boolean(),
    reason: z.string().optional().describe("Why it cannot run here."),
    timeoutMs: z.int(),
    env: z.array(z.string()),
    egress: z.array(z.string()),
  })),
  problems: z.array(z.object({
    severity: z.enum(["error", "warning", "note"]),
    path: z.string(),
    reason: z.string(),
    detail: z.string(),
    hint: z.string(),
    line: z.int().optional(),
    column: z.int().optional(),
  })),
  hints: z.array(z.string()),
});

/** The first content block of `skill_match`. */
export const MatchReportShape = z.object({
  hits: z.array(z.object({
    skill: z.string().optional().describe("Its name; or file is there."),
    file: z.string().optional().describe(
      "A context file of a directory, by its path in the workspace.",
    ),
    kind: z.enum(["keyword", "task", "path"]),
    matched: z.string().describe("The keyword or glob, as it is written."),
    at: z.object({
      in: z.enum(["message", "path"]),
      offset: z.int().optional().describe("Into the message."),
      text: z.string().optional().describe("The words as they stand there."),
      path: z.string().optional().describe("Relative to its workspace."),
    }),
    digest: z.string().describe(
      "Pass name@digest in exclude while you have the text.",
    ),
    untrusted: z.boolean().optional().describe("It comes from a workspace."),
    commands: z.int().describe("Commands in the text; none is run here."),
    inputs: z.array(z.object({ name: z.string(), required: z.boolean() }))
      .optional().describe("What a task asks for: see skill_load."),
    block: z.int().optional().describe(
      "Index of the content block with the text.",
    ),
    content: z.enum(["already have it"]).optional().describe(
      "exclude names it: the text is not repeated.",
    ),
    files: z.array(z.string()).optional().describe(
      "Of a skill that skill_load does not give: read them with skill_file.",
    ),
    references: z.array(z.object({
      id: z.string(),
      name: z.string(),
      block: z.int(),
    })).optional().describe("With bundle: texts that fit."),
    note: z.string().optional(),
    hint: z.string().optional().describe("How to get a text that is not here."),
  })),
  leftOut: z.array(z.string()).optional().describe(
    "Further hits, by name: raise limit, or exclude what you have.",
  ),
  more: z.int().optional().describe("Hits that are not even named."),
  near: z.array(z.object({
    skill: z.string(),
    kind: z.enum(["keyword", "task", "path"]),
    matched: z.string(),
    why: z.string(),
  })).describe("What nearly came up, and why it did not."),
  refusedPaths: z.array(z.object({ path: z.string(), why: z.string() })),
  context: z.object({
    uri: z.string(),
    digest: z.string(),
    parts: z.int().describe("Files and always-on skills in it."),
  }).optional().describe(
    "What holds for everything in the workspace: read it with skill_file.",
  ),
  hints: z.array(z.string()),
});

/** The first content block of `skill_call`. */
export const CallReportShape = z.object({
  status: z.enum(["preview", "done", "refused"]),
  code: z.string().optional(),
  message: z.string().optional(),
  hint: z.string().optional(),
  plan: z.object({
    skill: z.string(),
    server: z.string(),
    tool: z.string(),
    reaches: z.string().describe("The command line, or the address."),
    permissions: z.array(z.string()),
    notes: z.array(z.string()),
    env: z.array(z.string()).describe("Names of variables, never values."),
    argumentsSha256: z.string(),
    serverDigest: z.string(),
    toolsDigest: z.string(),
    trusted: z.boolean().describe("The owner's row lists the tool."),
    digest: z.string().describe("Pass it to skill_call as planDigest."),
  }).optional().describe("preview, and some refusals: what would happen."),
  skill: z.string().optional(),
  server: z.string().optional(),
  tool: z.string().optional(),
  isError: z.boolean().optional().describe("done: the tool says it failed."),
  notes: z.array(z.string()).optional().describe("done: what was cut."),
});

/** The first content block of `skill_file`. */
export const FileIndexShape = z.object({
  skill: z.string().optional().describe("The name that was given."),
  files: z.array(z.object({
    path: z.string().describe("As it was asked for."),
    size: z.int().optional().describe("Bytes of the whole file."),
    mediaType: z.string().optional(),
    encoding: z.enum(["utf-8", "base64", "binary"]).optional().describe(
      "binary: described only; base64: true returns its bytes.",
    ),
    offset: z.int().optional().describe("First byte of what came."),
    nextOffset: z.int().optional().describe(
      "There is more: pass it as offset.",
    ),
    truncated: z.boolean().optional(),
    block: z.int().optional().describe(
      "Index of the content block with its text; a file asked for twice comes once.",
    ),
    uri: z.string().optional().describe("Of a file that is described only."),
    hint: z.string().optional(),
    error: z.object({
      code: z.string(),
      message: z.string(),
      hint: z.string(),
    }).optional(),
  })),
});

/** A refusal of a text tool: its one content block, with `isError`. */
export const RefusalShape = z.object({
  status: z.enum(["refused"]),
  code: z.string(),
  message: z.string(),
  hint: z.string(),
});

export type LoadManifest = DeepReadonly<z.input<typeof LoadManifestShape>>;
export type ReferenceRow = LoadManifest["references"][number];
export type MatchReport = DeepReadonly<z.input<typeof MatchReportShape>>;
export type MatchRow = MatchReport["hits"][number];
export type FileIndex = DeepReadonly<z.input<typeof FileIndexShape>>;
export type FileEntry = FileIndex["files"][number];
