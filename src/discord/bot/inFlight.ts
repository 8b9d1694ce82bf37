/** IDs of claims that this process works on, which recovery leaves alone. */
export interface InFlight {
  /** Notes that work on a claim begins; the returned function notes its end. */
  begin(id: string): () => void
  has(id: string): boolean
}

/** Counts the pieces of work of a claim, because one may begin before the other ends. */
export function createInFlight(): InFlight {
  const counts = new Map<string, number>()
  return {
    begin(id) {
      counts.set(id, (counts.get(id) ?? 0) + 1)
      return () => {
        const left = (counts.get(id) ?? 0) - 1
        if (left > 0) counts.set(id, left)
        else counts.delete(id)
      }
    },
    has: (id) => counts.has(id),
  }
}
