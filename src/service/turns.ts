/** About how long one piece of long work may keep everyone else waiting. */
const TURN_MS = 10

/** For the middle of long work: waits until the others had their turn, once this one's is over. */
export function takeTurns(turn = TURN_MS): () => Promise<boolean> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < turn) return false
    await new Promise((resolve) => setImmediate(resolve))
    began = performance.now()
    return true
  }
}

/** Between the pieces of long work, others have their turn. */
export async function doInTurns<T>(work: Generator<void, T>): Promise<T> {
  const giveWay = takeTurns()
  for (; ; await giveWay()) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** A long list, between whose items others have their turn. */
export async function* listInTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  const giveWay = takeTurns()
  for (const item of items) {
    yield item
    await giveWay()
  }
}
