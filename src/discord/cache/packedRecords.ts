/**
 * Texts by ID, kept in one string. A guild has a hundred small records that are rarely read, and a
 * map of them would take more memory than their contents.
 */
export interface PackedRecords {
  find(id: string): string | undefined
  set(id: string, text: string): void
  delete(id: string): void
  list(): [id: string, text: string][]
}

/** IDs are digits; texts are ASCII without line breaks, which takes one byte per character. */
export function createPackedRecords(
  records: readonly (readonly [id: string, text: string])[],
): PackedRecords {
  // Each record is `\n<id> <text>`. `join` copies; concatenation would keep all its parts in memory.
  let all = records.flatMap(([id, text]) => ['\n', id, ' ', text]).join('')

  const locate = (id: string) => {
    const start = all.indexOf(`\n${id} `)
    if (start === -1) return null
    const next = all.indexOf('\n', start + 1)
    return { start, end: next === -1 ? all.length : next }
  }
  const remove = (id: string, added: readonly string[]) => {
    const { start, end } = locate(id) ?? { start: all.length, end: all.length }
    all = [all.slice(0, start), all.slice(end), ...added].join('')
  }
  return {
    find(id) {
      const range = locate(id)
      return range ? all.slice(range.start + id.length + 2, range.end) : undefined
    },
    set: (id, text) => remove(id, ['\n', id, ' ', text]),
    delete: (id) => remove(id, []),
    list: () =>
      all
        .split('\n')
        .slice(1)
        .map((line) => {
          const space = line.indexOf(' ')
          return [line.slice(0, space), line.slice(space + 1)]
        }),
  }
}
