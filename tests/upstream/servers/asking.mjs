// Asks its client for everything that a server can ask for.
import { onAnswer, say, serve, text } from "./plain.mjs";

const ask = (id, method, params) =>
  new Promise((resolve) => {
    onAnswer(id, (message) =>
      resolve(message.error ? `refused ${message.error.code}` : "ANSWERED"));
    say({ id, method, params });
  });
serve({
  ask: async () =>
    text([
      await ask("a", "sampling/createMessage", {
        messages: [{ role: "user", content: { type: "text", text: "hi" } }],
        maxTokens: 10,
      }),
      await ask("b", "elicitation/create", {
        message: "your password?",
        requestedSchema: {
          type: "object",
          properties: { p: { type: "string" } },
        },
      }),
      await ask("c", "roots/list", {}),
    ].join()),
});
