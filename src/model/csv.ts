/** Tables as text, for programs that compute with them. */

/** Without this mark at the beginning, table programs take UTF-8 for something older. */
export const CSV_MARK = '\ufeff'

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : csvText(cell))).join()}\r\n`
}

function csvText(text: string): string {
  // A table program would compute what begins like this; behind a quote it is words.
  const words = /^\s*[=+\-@]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words
}
