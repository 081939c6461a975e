/** A response's body, all of it. */

/**
 * All bytes of a body, or undefined when they are not there after `ms`: then the
 * body is cancelled. A call that its client took back is never answered.
 */
export async function wholeWithin(
  body: ReadableStream<Uint8Array>,
  ms: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), ms);
  try {
    const kept = new TransformStream<Uint8Array, Uint8Array>();
    const piped = body.pipeTo(kept.writable, { signal: stop.signal });
    piped.catch(() => {});
    return await new Response(kept.readable).bytes();
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
