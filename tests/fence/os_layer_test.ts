import assert from "node:assert/strict";
import { demanded, OsLayerFinder } from "../../src/fence/os_layer.ts";
import type { BwrapLayer, LandlockLayer, OsOff } from "../../src/os/types.ts";

const BWRAP: BwrapLayer = {
  by: "bwrap",
  path: "/usr/bin/bwrap",
  version: "0.8.0",
  disableUserns: true,
  libraries: [],
  prlimit: undefined,
  warnings: [],
};
const LANDLOCK: LandlockLayer = {
  by: "landlock",
  abi: 7,
  launcher: ["/skillfence"],
  libraries: [],
};
const OFF: OsOff = { cause: "gone", message: "it is gone", advice: "get it" };

/** A finder over layers that hold or not, and what was asked of it. */
function finder(
  wanted: ConstructorParameters<typeof OsLayerFinder>[0],
  holds: { bwrap?: boolean; landlock?: boolean },
) {
  const asked: string[] = [];
  const found = new OsLayerFinder(wanted, {
    bwrap: (runtime, fresh) => {
      asked.push(`bwrap ${runtime}${fresh ? " fresh" : ""}`);
      return Promise.resolve(
        holds.bwrap ? { ok: true, layer: BWRAP } : { ok: false, off: OFF },
      );
    },
    landlock: (runtime, fresh) => {
      asked.push(`landlock ${runtime}${fresh ? " fresh" : ""}`);
      return Promise.resolve(
        holds.landlock
          ? { ok: true, layer: LANDLOCK }
          : { ok: false, off: OFF },
      );
    },
  });
  return { found, asked };
}

Deno.test("OsLayerFinder: auto takes bubblewrap, else Landlock, else says why neither", async () => {
  const both = finder("auto", { bwrap: true, landlock: true });
  assert.equal((await both.found.get("/d")).layer?.by, "bwrap");
  assert.deepEqual(both.asked, ["bwrap /d"]);
  const second = await finder("auto", { landlock: true }).found.get("/d");
  assert.equal(second.layer?.by, "landlock");
  assert.deepEqual(second.off, [OFF]);
  const none = await finder("auto", {}).found.get("/d");
  assert.equal(none.layer, undefined);
  assert.equal(none.off.length, 2);
});

Deno.test("OsLayerFinder: a layer asked for by name is the only one tried, off tries none", async () => {
  const landlock = finder("landlock", { bwrap: true, landlock: true });
  assert.equal((await landlock.found.get("/d")).layer?.by, "landlock");
  assert.deepEqual(landlock.asked, ["landlock /d"]);
  for (const wanted of ["bwrap", "bwrap+worker"] as const) {
    const { found, asked } = finder(wanted, { landlock: true });
    assert.equal((await found.get("/d")).layer, undefined);
    assert.deepEqual(asked, ["bwrap /d"]);
  }
  const off = finder("off", { bwrap: true, landlock: true });
  assert.equal((await off.found.get("/d")).layer, undefined);
  assert.deepEqual(off.asked, []);
});

Deno.test("OsLayerFinder: one search for a runtime, another for another, and afresh once forgotten", async () => {
  const { found, asked } = finder("auto", { bwrap: true });
  await Promise.all([found.get("/a"), found.get("/a")]);
  await found.get("/b");
  found.forget();
  await found.get("/b");
  assert.deepEqual(asked, ["bwrap /a", "bwrap /b", "bwrap /b fresh"]);
});

Deno.test("OsLayerFinder: a layer that held is never stepped down from, and looked for again", async () => {
  const holds = { bwrap: true, landlock: true };
  const { found, asked } = finder("auto", holds);
  assert.equal((await found.get("/d")).layer?.by, "bwrap");
  holds.bwrap = false;
  found.forget();
  // Landlock would hold, and is not even asked: no run gets less than before.
  const broken = await found.get("/d");
  assert.equal(broken.layer?.by, "bwrap");
  assert.deepEqual(broken.off, [OFF]);
  assert.equal((await found.get("/d")).layer?.by, "bwrap");
  holds.bwrap = true;
  assert.deepEqual((await found.get("/d")).off, []);
  await found.get("/d");
  const fresh = "bwrap /d fresh";
  assert.deepEqual(asked, ["bwrap /d", fresh, fresh, fresh]);
});

Deno.test("OsLayerFinder: a search that could not be made counts for one call only", async () => {
  const outcome = { off: { ...OFF, cause: "no-probe" } };
  let asked = 0;
  const found = new OsLayerFinder("bwrap", {
    bwrap: () => {
      asked++;
      return Promise.resolve({ ok: false, off: outcome.off });
    },
    landlock: () => Promise.reject(new Error("not asked")),
  });
  await found.get("/d");
  await found.get("/d");
  assert.equal(asked, 2);
  outcome.off = OFF;
  await found.get("/d");
  await found.get("/d");
  assert.equal(asked, 3);
});

Deno.test("demanded: require and a layer by name refuse without one, auto and off do not", async () => {
  for (const wanted of ["auto", "off"] as const) {
    assert.ok(demanded(await finder(wanted, {}).found.get("/d")).ok);
  }
  for (
    const wanted of ["require", "bwrap", "bwrap+worker", "landlock"] as const
  ) {
    const refused = demanded(await finder(wanted, {}).found.get("/d"));
    assert.ok(!refused.ok);
    assert.equal(refused.code, "FENCE_UNAVAILABLE");
    assert.match(refused.message, /it is gone/);
    assert.match(refused.hint, /doctor/);
  }
  const held = await finder("require", { landlock: true }).found.get("/d");
  assert.ok(demanded(held).ok);
});
