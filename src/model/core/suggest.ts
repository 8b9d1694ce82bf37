const MAX_SUGGESTIONS = 3

/** Number of letters of a word per allowed edit. */
const LETTERS_PER_EDIT = 3

/** Finds the names closest to the typed text; none if all are too different. */
export function suggest(names: readonly string[], typed: string): string[] {
  const candidates = names.map((name) => ({ name, distance: distanceOf(name, typed) }))
  const smallest = Math.min(...candidates.map(({ distance }) => distance))
  if (Number.isFinite(smallest))
    return candidates
      .flatMap(({ name, distance }) => (distance === smallest ? [name] : []))
      .slice(0, MAX_SUGGESTIONS)
  // One word of a name, or its words in another order.
  const words = typed.split(' ')
  return names
    .filter((name) => words.every((word) => name.split(' ').includes(word)))
    .slice(0, MAX_SUGGESTIONS)
}

/** Sums the edit distances of the words; infinite if one of them differs too much. */
function distanceOf(name: string, typed: string): number {
  const [expected, actual] = [name.split(' '), typed.split(' ')]
  if (expected.length !== actual.length) return Number.POSITIVE_INFINITY
  const distances = expected.map((word, index) => {
    const count = levenshtein(word, actual[index] ?? '')
    return count <= Math.ceil(word.length / LETTERS_PER_EDIT) ? count : Number.POSITIVE_INFINITY
  })
  return distances.reduce((sum, count) => sum + count, 0)
}

/** Number of inserted, deleted or replaced letters between two texts. */
function levenshtein(text: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...text].entries()) {
    const next = [index + 1]
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
