/** Waiting on a condition, never for a time. */

/** Resolves with the first value that is neither false nor undefined. */
export async function until<T>(
  what: () => T | Promise<T>,
  mostMs = 20_000,
): Promise<NonNullable<T>> {
  const end = performance.now() + mostMs;
  for (;;) {
    const value = await what();
    if (value !== undefined && value !== null && value !== false) return value;
    if (performance.now() > end) {
      throw new Error(`not within ${mostMs} ms: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
