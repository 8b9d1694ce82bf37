/** Replaces matches in SQL text, except inside quoted values and names. */
export function replaceUnquoted(
  sql: string,
  pattern: RegExp,
  replace: (match: string) => string,
): string {
  const parts = new RegExp(`'(?:[^']|'')*'|"[^"]*"|${pattern.source}`, 'g')
  return sql.replaceAll(parts, (part) => (/^['"]/.test(part) ? part : replace(part)))
}
