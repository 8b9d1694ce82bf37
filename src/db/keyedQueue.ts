/** Does the work of one after the other, in the order it was asked for; others do not wait for it. */
export type KeyedQueue<Key> = <T>(whose: Key, work: () => Promise<T>) => Promise<T>

export function createKeyedQueue<Key>(): KeyedQueue<Key> {
  /** The last in the line of each, until it is done. */
  const lines = new Map<Key, Promise<void>>()
  return (whose, work) => {
    const before = lines.get(whose)
    const done = before ? before.then(work) : work()
    const leave = () => {
      if (lines.get(whose) === last) lines.delete(whose)
    }
    const last = done.then(leave, leave)
    lines.set(whose, last)
    return done
  }
}
