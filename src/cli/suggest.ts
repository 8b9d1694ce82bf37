const MAX_SUGGESTIONS = 3

/** Of so many letters one may be wrong before the word is taken for another. */
const LETTERS_PER_EDIT = 3

/** The names that were most likely meant, best first; none where nothing is near. */
export function suggest(names: readonly string[], typed: string): string[] {
  const near = names.map((name) => ({ name, slips: relativeDistance(name, typed) }))
  const fewest = Math.min(...near.map(({ slips }) => slips))
  if (Number.isFinite(fewest))
    return near
      .flatMap(({ name, slips }) => (slips === fewest ? [name] : []))
      .slice(0, MAX_SUGGESTIONS)
  // One of its words alone, or its words the other way round.
  const words = typed.split(' ')
  return names
    .filter((name) => words.every((word) => name.split(' ').includes(word)))
    .slice(0, MAX_SUGGESTIONS)
}

/** Word by word; infinitely many where one of them is another word altogether. */
function relativeDistance(name: string, typed: string): number {
  const [own, others] = [name.split(' '), typed.split(' ')]
  if (own.length !== others.length) return Number.POSITIVE_INFINITY
  const slips = own.map((word, at) => {
    const count = levenshtein(word, others[at] ?? '')
    return count <= Math.ceil(word.length / LETTERS_PER_EDIT) ? count : Number.POSITIVE_INFINITY
  })
  return slips.reduce((sum, count) => sum + count, 0)
}

/** How many letters must be put in, left out or exchanged to make one text of the other. */
function levenshtein(one: string, other: string): number {
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
