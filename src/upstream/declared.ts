/** Which MCP servers a skill declares, and what is wrong with the rest. Pure. */

import { visible } from "../base/text.ts";
import type { SkillProblem } from "../context/types.ts";
import { isRecord, own, shown } from "../skill/block_values.ts";
import { type DeclaredTransport, readServer } from "./server_fields.ts";

/** A server as declared, before its digest is known. */
export interface ServerDeclaration {
  readonly skill: string;
  readonly name: string;
  readonly transport: DeclaredTransport;
}

/** What a skill declares. */
export interface Declarations {
  /** In the author's order, each name once. */
  readonly servers: readonly ServerDeclaration[];
  readonly problems: readonly SkillProblem[];
}

/** What is read. */
export interface DeclarationTexts {
  /** Name as served. */
  readonly skill: string;
  /** The skill's frontmatter. */
  readonly frontmatter: Readonly<Record<string, unknown>> | undefined;
  /**
   * The text of `.mcp.json`, or in words why it cannot be used; undefined when
   * there is none.
   */
  readonly json:
    | { readonly text: string }
    | { readonly why: string }
    | undefined;
}

/** The file beside SKILL.md. */
export const MCP_JSON = ".mcp.json";
/** Most servers of one skill. */
export const MAX_SERVERS = 20;

const FRONTMATTER = "mcp_tools";
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const SHAPE =
  "Write mcpServers with one server below each name: command, args and env, or url and headers.";

/**
 * Reads `mcp_tools` of the frontmatter, else `.mcp.json`. What is wrong costs
 * the one server it is in, and is told as a problem (`mcp-server`).
 */
export function readDeclarations(
  { skill, frontmatter, json }: DeclarationTexts,
): Declarations {
  const problems: SkillProblem[] = [];
  const tell: Tell = (detail, hint, severity = "warning") =>
    problems.push({ skill, severity, reason: "mcp-server", detail, hint });
  const value = own({ ...frontmatter }, FRONTMATTER) ?? undefined;
  if (value !== undefined) {
    if (json !== undefined) {
      tell(
        `${FRONTMATTER} stands in the frontmatter, so ${MCP_JSON} is not read`,
        "Keep one of them.",
      );
    }
    const servers = readAll(value, FRONTMATTER, { skill, tell });
    return { servers, problems };
  }
  const parsed = json === undefined ? undefined : parse(json);
  if (parsed === undefined) return { servers: [], problems };
  if ("why" in parsed) {
    tell(`${MCP_JSON} ${parsed.why}`, SHAPE);
    return { servers: [], problems };
  }
  return {
    servers: readAll(parsed.value, MCP_JSON, { skill, tell }),
    problems,
  };
}

type Tell = (
  detail: string,
  hint: string,
  severity?: SkillProblem["severity"],
) => void;

function parse(
  json: { readonly text: string } | { readonly why: string },
): { readonly value: unknown } | { readonly why: string } {
  if ("why" in json) return json;
  try {
    return { value: JSON.parse(json.text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    return { why: `is not valid JSON (${visible(message, 120)})` };
  }
}

function readAll(
  value: unknown,
  where: string,
  { skill, tell }: { skill: string; tell: Tell },
): ServerDeclaration[] {
  const inner = isRecord(value) ? own(value, "mcpServers") : undefined;
  const map = inner ?? value;
  if (!isRecord(map)) {
    tell(`${where} holds ${shown(map)}, not a mapping of servers`, SHAPE);
    return [];
  }
  const entries = Object.entries(map);
  if (entries.length > MAX_SERVERS) {
    tell(
      `${where} declares ${entries.length} servers; the first ${MAX_SERVERS} are taken`,
      `Declare at most ${MAX_SERVERS}.`,
    );
  }
  return entries.slice(0, MAX_SERVERS).flatMap(([name, item]) => {
    if (!NAME.test(name)) {
      tell(
        `${where} declares a server named ${shown(name)}`,
        "Use 1 to 64 letters, digits, dots, hyphens and underscores.",
      );
      return [];
    }
    const read = readServer(item);
    if ("transport" in read) return [{ skill, name, ...read }];
    if ("why" in read) {
      tell(`the server ${name} of ${where} ${read.why}`, read.hint);
    }
    return [];
  });
}
