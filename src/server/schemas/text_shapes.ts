/**
 * JSON that the text tools put into a content block. It is documented like the
 * structured answers, but no tool declares it as its output schema: a
 * structured half would hide the text for reading in some clients.
 */

import * as z from "zod";
import type { DeepReadonly } from "./plan_output.ts";

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
export type FileIndex = DeepReadonly<z.input<typeof FileIndexShape>>;
export type FileEntry = FileIndex["files"][number];
