/** About how long one piece of long work may keep everyone else waiting. */
const TURN_MS = 10

/**
 * For the middle of long work: waits until the others had their turn, once this one's is over.
 * Throws the signal's reason when the work is no longer wanted.
 */
export function createYielder(
  turn = TURN_MS,
  signal: AbortSignal | null = null,
): () => Promise<boolean> {
  let began = performance.now()
  return async () => {
    signal?.throwIfAborted()
    if (performance.now() - began < turn) return false
    await new Promise((resolve) => setImmediate(resolve))
    began = performance.now()
    return true
  }
}

/** Between the pieces of long work, others have their turn. */
export async function runCooperatively<T>(
  work: Generator<void, T>,
  signal: AbortSignal | null,
): Promise<T> {
  const yieldIfDue = createYielder(TURN_MS, signal)
  for (; ; await yieldIfDue()) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** A long list, between whose items others have their turn. */
export async function* iterateCooperatively<T>(
  items: Iterable<T>,
  signal: AbortSignal | null,
): AsyncGenerator<T> {
  const yieldIfDue = createYielder(TURN_MS, signal)
  for (const item of items) {
    yield item
    await yieldIfDue()
  }
}
