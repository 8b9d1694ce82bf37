/**
 * Runs the work of each key sequentially, in the order of the calls; different keys run
 * concurrently.
 */
export type KeyedQueue<Key> = <T>(key: Key, work: () => Promise<T>) => Promise<T>

export function createKeyedQueue<Key>(): KeyedQueue<Key> {
  /** Last queued work of each key, until it is done. */
  const tails = new Map<Key, Promise<void>>()
  return (key, work) => {
    const previous = tails.get(key)
    const done = previous ? previous.then(work) : work()
    const remove = () => {
      if (tails.get(key) === tail) tails.delete(key)
    }
    const tail = done.then(remove, remove)
    tails.set(key, tail)
    return done
  }
}
