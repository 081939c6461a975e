/**
 * What each tool takes. The published JSON Schema, the validation and the
 * TypeScript types all come from here. Flat on purpose: several clients lose a
 * tool, or all of them, over root combinators, references and null unions.
 */

import * as z from "zod";
import { KEPT_OF_STREAM } from "../../fence/capture.ts";
import { MAX_ARGS, MAX_FILES } from "../../fence/check_call.ts";

/** Skills in one page of `skill_list` when the caller sets no limit. */
export const DEFAULT_PAGE = 50;
/** Bytes of one call of `skill_file` when the caller sets no limit. */
export const DEFAULT_READ = 40_000;
/** The most that it may be asked for. */
export const MOST_READ = 4_194_304;
/** Bytes of both streams of `skill_run` when the caller sets no limit. */
export const DEFAULT_OUTPUT = 12_000;

/** Texts in one answer of `skill_match` when the caller sets no limit. */
export const DEFAULT_MATCHES = 20;
/** Characters of a message that is matched. */
const MOST_MATCHED = 200_000;
const MOST_PATHS = 500;

const skillName = z.string().min(1).max(2048).describe(
  "The skill's name as skill_list shows it, e.g. weather or acme/billing/refunds.",
);

/** `skill_list`. */
export const ListInput = z.strictObject({
  query: z.string().max(1000).optional().describe(
    "Words to rank the skills by: name, description, when to use, instructions. Leave it out to list all, by name.",
  ),
  cursor: z.string().max(4096).optional().describe(
    "The nextCursor of the page before, with the same query. Leave it out for the first page.",
  ),
  limit: z.int().min(1).max(200).optional().describe(
    `Most skills in one page. Default ${DEFAULT_PAGE}; a page also ends when it is full.`,
  ),
  reload: z.boolean().optional().describe(
    "true looks at the disk again first. Default false: what the last scan found.",
  ),
  hidden: z.boolean().optional().describe(
    "true lists the skills that are kept from models instead, and why. Default false.",
  ),
});

/** `skill_load`. */
export const LoadInput = z.strictObject({
  name: skillName,
  body: z.boolean().optional().describe(
    "false leaves the instructions out and returns the manifest alone. Default true.",
  ),
  filesOffset: z.int().min(0).optional().describe(
    "Where the manifest's list of files starts: the nextFilesOffset of the answer before. Default 0.",
  ),
  bundle: z.boolean().optional().describe(
    "true adds the texts of the shared references that fit, one content block each. Default false: the manifest lists them.",
  ),
  inputs: z.record(z.string(), z.string()).optional().describe(
    "Values for a task skill, by the names that the skill asks for; each is put in place of ${name} in its text. Ask the user for what you do not know.",
  ),
  render: z.boolean().optional().describe(
    "false gives the text as its author wrote it: no command runs and no input is put in. Default true.",
  ),
});

/** `skill_match`. One of `message` and `paths` must be given. */
export const MatchInput = z.strictObject({
  message: z.string().max(MOST_MATCHED).optional().describe(
    "The user's message, word for word.",
  ),
  paths: z.array(z.string().max(4096)).max(MOST_PATHS).optional().describe(
    `Files that you read, edit or create: absolute, or relative to the workspace. At most ${MOST_PATHS}.`,
  ),
  exclude: z.array(z.string().max(2200)).max(500).optional().describe(
    "Texts you have already: name@digest as an earlier answer gave them, or a name alone. They are named without their text; a text that changed comes again.",
  ),
  limit: z.int().min(1).max(100).optional().describe(
    `Most texts in the answer; further ones are named. Default ${DEFAULT_MATCHES}.`,
  ),
  bundle: z.boolean().optional().describe(
    "true adds the texts of the skills' shared references that fit. Default false.",
  ),
});

/** `skill_file`. One of `path` and `paths` must be given. */
export const FileInput = z.strictObject({
  name: skillName.optional().describe(
    "The skill's name as skill_list shows it. Needed for plain paths only: ids, addresses and outputs name their file themselves.",
  ),
  paths: z.array(z.string()).min(1).max(8).optional().describe(
    "One to eight files: paths relative to the skill's directory with / between the parts, as skill_load lists them; ids of shared references, e.g. 1:shared/style.md; addresses such as skill://weather/docs/a.md; skillfence://prompts/NAME for a prompt file; or out:<id> for a file that a run left behind.",
  ),
  path: z.string().optional().describe("One file, instead of paths."),
  offset: z.int().min(0).optional().describe(
    "First byte to read, for each file: the nextOffset of the answer before. Default 0.",
  ),
  limit: z.int().min(1).max(MOST_READ).optional().describe(
    `Most bytes in the whole call, shared between the files in order; at most 1 MiB a file. Default ${DEFAULT_READ}, and then the answer also stays under 40,000 characters.`,
  ),
  base64: z.boolean().optional().describe(
    "true returns the bytes as base64 text, which binary files need. Default false: text.",
  ),
});

const call = {
  name: skillName,
  script: z.string().min(1).max(1024).describe(
    "The script as the skill declares it, e.g. scripts/report.mjs.",
  ),
  args: z.array(z.string()).max(MAX_ARGS).optional().describe(
    `Arguments for the script, at most ${MAX_ARGS} and 8 KiB together. Default none.`,
  ),
  stdin: z.string().optional().describe(
    "Text the script reads on its standard input. Default empty. Together with files at most 8 MiB.",
  ),
  files: z.array(z.strictObject({
    name: z.string().min(1).max(255).describe(
      "A plain file name, without directories.",
    ),
    text: z.string().optional().describe("The content as text."),
    base64: z.string().optional().describe(
      "The content as base64, instead of text.",
    ),
  })).max(MAX_FILES).optional().describe(
    "Files handed to the script, read-only, in the directory in below its scratch directory. Each has a name and either text or base64.",
  ),
};

/** `skill_preview`. */
export const PreviewInput = z.strictObject(call);

const planDigest = z.string().regex(
  /^sha256:[0-9a-f]{64}(\.\d{1,12}\.[\w-]{22}\.[\w-]{43})?$/,
).optional();

/** `skill_tools`. */
export const ToolsInput = z.strictObject({
  name: skillName,
  server: z.string().min(1).max(200).optional().describe(
    "One of the MCP servers that the skill declares, with all its tools. Leave it out to list the servers.",
  ),
});

/** `skill_call`. */
export const CallInput = z.strictObject({
  name: skillName,
  server: z.string().min(1).max(200).describe(
    "The server as skill_tools lists it.",
  ),
  tool: z.string().min(1).max(200).describe(
    "The tool as skill_tools lists it.",
  ),
  arguments: z.record(z.string(), z.unknown()).optional().describe(
    "The tool's own arguments, as its inputSchema says. Default none.",
  ),
  confirm: z.boolean().optional().describe(
    "true makes the call. Only after the user has seen the plan and agreed. Default false: nothing is called and the plan comes back.",
  ),
  planDigest: planDigest.describe(
    "The digest of the plan the user agreed to. If what would happen now differs from that plan, nothing is called.",
  ),
});

/** `skill_run`. */
export const RunInput = z.strictObject({
  ...call,
  confirm: z.boolean().optional().describe(
    "true starts the script. Only after the user has seen the plan and agreed. Default false: nothing starts and the plan comes back.",
  ),
  planDigest: planDigest.describe(
    "The digest of the plan the user agreed to. If what would happen now differs from that plan, nothing runs.",
  ),
  outputLimit: z.int().min(0).max(2 * KEPT_OF_STREAM).optional().describe(
    `Most bytes of stdout and stderr returned, both together; at most 1 MiB each. Default ${DEFAULT_OUTPUT}.`,
  ),
});

/** Arguments of each tool, validated. */
export type ListArguments = z.output<typeof ListInput>;
export type LoadArguments = z.output<typeof LoadInput>;
export type FileArguments = z.output<typeof FileInput>;
export type PreviewArguments = z.output<typeof PreviewInput>;
export type RunArguments = z.output<typeof RunInput>;
export type MatchArguments = z.output<typeof MatchInput>;
export type ToolsArguments = z.output<typeof ToolsInput>;
export type CallArguments = z.output<typeof CallInput>;
