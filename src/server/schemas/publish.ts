/** Zod schema -> the JSON Schema that clients see, in its plainest spelling. */

import * as z from "zod";

/** A JSON Schema 2020-12 object, as plain data. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** A schema: an object with names of the caller's choosing. */
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly [key: string]: unknown;
}

/** The schema of a tool's root: always an object. */
export type ObjectSchema = JsonSchema & { readonly type: "object" };

/**
 * The published schema. Strict objects say `additionalProperties: false`;
 * others stay open, so that a field added later breaks no client.
 */
export function publish(schema: z.ZodObject): ObjectSchema {
  // "input" does not close objects that are not strict.
  const json = z.toJSONSchema(schema, { io: "input", target: "draft-2020-12" });
  return withoutNoise(json as JsonSchema) as ObjectSchema;
}

/** Bounds that every JSON integer has say nothing. */
function withoutNoise(node: JsonSchema): JsonSchema {
  // That names are texts goes without saying, and some clients stumble over it.
  const { minimum, maximum, properties, items, propertyNames: _, ...rest } =
    node;
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER
      ? {}
      : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
      ? {}
      : { maximum }),
    ...(properties === undefined ? {} : {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [
          name,
          withoutNoise(child),
        ]),
      ),
    }),
    ...(items === undefined ? {} : { items: withoutNoise(items) }),
  };
}
