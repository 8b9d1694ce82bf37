/** Tables as text, for programs that compute with them. */

/** Without this mark at the beginning, table programs take UTF-8 for something older. */
export const CSV_MARK = '\ufeff'

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : csvText(cell))).join()}\r\n`
}

function csvText(text: string): string {
  const words = text.replace(FORMULA, "$1'$2")
  return /[",;\t\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words
}

/**
 * Beginnings of formulas; behind a quote they are text. Many spreadsheets separate cells by
 * semicolons or tabs, and then end a cell there in spite of the quotation marks around it.
 */
const FORMULA = /((?:^|[;\t\r\n])[^\S\t\r\n]*)([=+\-@＝＋－＠])/g
