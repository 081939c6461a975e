import { equal } from "node:assert/strict";
import { makeScene, startHost } from "./support.ts";

Deno.test("startProxy: an https request is answered by the host it names", async () => {
  await using host = startHost();
  await using scene = await makeScene({
    hosts: [`api.example.test:${host.port}`],
  });
  const url = `https://api.example.test:${host.port}/a?b=c`;
  const response = await scene.fetch(url, { method: "POST", body: "hello" });
  equal(response.status, 200);
  equal(await response.text(), "ok");
  console.log(host.seen);
  console.log(await scene.end());
});
