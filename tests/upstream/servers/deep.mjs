// Lists a tool whose schema goes deeper than anything walks.
import { serve } from "./plain.mjs";

let inputSchema = { type: "object" };
for (let level = 0; level < 1_000; level++) inputSchema = { inputSchema };

serve({}, { list: () => [{ name: "deep", inputSchema }] });
