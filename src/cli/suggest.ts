const MOST = 3

/** A third of a word may be wrong before it is taken for another. */
const LETTERS_PER_SLIP = 3

/** The names that were most likely meant, best first; none where nothing is near. */
export function suggest(names: readonly string[], typed: string): string[] {
  const near = names
    .map((name) => ({ name, slips: countSlips(name, typed) }))
    .filter(({ name, slips }) => slips <= Math.ceil(name.length / LETTERS_PER_SLIP))
    .toSorted((a, b) => a.slips - b.slips)
  const best = near.filter(({ slips }) => slips === near[0]?.slips).map(({ name }) => name)
  if (best.length > 0) return best.slice(0, MOST)
  // One of its words alone, or its words the other way round.
  const words = typed.split(' ')
  return names
    .filter((name) => words.every((word) => name.split(' ').includes(word)))
    .slice(0, MOST)
}

/** How many letters must be put in, left out or exchanged to make one text of the other. */
function countSlips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let to = 1; to <= other.length; to++)
      next.push(
        Math.min(
          (row[to] ?? 0) + 1,
          (next[to - 1] ?? 0) + 1,
          (row[to - 1] ?? 0) + (other[to - 1] === letter ? 0 : 1),
        ),
      )
    row = next
  }
  return row.at(-1) ?? 0
}
