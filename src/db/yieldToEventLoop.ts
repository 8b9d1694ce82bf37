import { type Clock, systemClock } from '../runtime/timers/clock'

/** Lets pending requests and transactions run between two parts of long work. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Time that long work runs before it yields to the event loop, about the delay of other requests. */
const TURN_MS = 10

/**
 * Creates a function that long work calls often. It yields to the event loop if the work has run for
 * `turn` milliseconds, and throws the signal's reason if the signal is aborted.
 */
export function createYielder(
  turn = TURN_MS,
  signal: AbortSignal | null = null,
  { monotonic }: Pick<Clock, 'monotonic'> = systemClock,
): () => Promise<boolean> {
  let began = monotonic()
  return async () => {
    signal?.throwIfAborted()
    if (monotonic() - began < turn) return false
    await yieldToEventLoop()
    began = monotonic()
    return true
  }
}

/** Runs a generator to its end and yields to the event loop between its steps when due. */
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

/** Iterates over a long list and yields to the event loop between its items when due. */
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
