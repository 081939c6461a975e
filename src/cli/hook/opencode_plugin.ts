/** The plugin that stands for a hook in opencode. Pure. */

/** Its text; `words` start a match that prints plain text. */
export function opencodePlugin(words: readonly string[]): string {
  return `\
// Asks skillfence which skills a prompt or a touched file brings up.
import { spawn } from "node:child_process";

const [PROGRAM, ...ARGUMENTS] = ${JSON.stringify(words)};

/** What skillfence says; "" when that is nothing, or it cannot be started. */
function ask(payload) {
  return new Promise((resolve) => {
    let text = "";
    const child = spawn(PROGRAM, ARGUMENTS, {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: ${5_000},
    });
    child.on("error", () => resolve(""));
    child.on("close", () => resolve(text.trim()));
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (part) => text += part);
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(payload));
  });
}

export const Skills = async ({ directory }) => {
  // Of calls that are under way: what comes after a call need not hold its path.
  const paths = new Map();
  return {
    "chat.message": async (_input, output) => {
      const texts = output.parts.filter((part) => part.type === "text");
      const prompt = texts.map((part) => part.text).join("\\n");
      if (prompt.trim() === "") return;
      const said = await ask({ prompt, cwd: directory });
      if (said !== "") texts.at(-1).text += "\\n\\n" + said;
    },
    "tool.execute.before": async (input, output) => {
      const path = output.args?.filePath;
      if (typeof path === "string") paths.set(input.callID, path);
    },
    "tool.execute.after": async (input, output) => {
      const path = paths.get(input.callID);
      paths.delete(input.callID);
      // Tools of MCP servers give no text to add to.
      if (path === undefined || typeof output.output !== "string") return;
      const said = await ask({ paths: [path], cwd: directory });
      if (said !== "") output.output += "\\n\\n" + said;
    },
  };
};
`;
}
