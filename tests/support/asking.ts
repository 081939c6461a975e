/** Requests of methods that a client's SDK has no word for. */

import * as z from "zod";
import type { Json, TestClient } from "./clients.ts";

/** The result, as it came. */
export async function ask(
  { sdk }: Pick<TestClient, "sdk">,
  method: string,
  params: unknown = {},
): Promise<Json> {
  return await sdk.request({ method, params }, z.looseObject({}));
}
