/** Creates random numbers that are the same for each run with a seed. */
export function createRandom(seed: number) {
  let state = seed
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return {
    below,
    shuffle<T>(items: readonly T[]): T[] {
      return items
        .map((item) => ({ item, key: below(1_000_000) }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ item }) => item)
    },
  }
}
