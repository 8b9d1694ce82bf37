/** Byte order mark. Without it, spreadsheets do not recognize UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff'

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : csvText(cell))).join()}\r\n`
}

function csvText(text: string): string {
  const escaped = text.replace(FORMULA, "$1'$2")
  return /[",;\t\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped
}

/**
 * Start of a formula; an apostrophe in front turns it into text. Many spreadsheets separate cells
 * by semicolons or tabs, and then end a cell there even inside quotation marks.
 */
const FORMULA = /((?:^|[;\t\r\n])[^\S\t\r\n]*)([=+\-@＝＋－＠])/g
