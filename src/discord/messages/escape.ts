const ZERO_WIDTH_SPACE = '\u200b'

/** Escapes text that people wrote, so that it is shown as typed: no formatting, mentions or masked links. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~`|[\]()<>@]/g, '\\$&')
    .replace(/^(\s*)([#+-])/gm, '$1\\$2')
    .replace(/^(\s*\d+)\./gm, '$1\\.')
}

/** Makes masked links visible as typed, and keeps the other formatting of quoted text. */
export function escapeMaskedLinks(text: string): string {
  return text.replace(/\](?=\()/g, '\\]')
}

/** Formats text as a code span that its own backticks cannot end. */
export function formatCodeSpan(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ').replace(/`(?=`)/g, `\`${ZERO_WIDTH_SPACE}`)
  const start = line === '' || line.startsWith('`') ? ZERO_WIDTH_SPACE : ''
  const end = line.endsWith('`') ? ZERO_WIDTH_SPACE : ''
  return `\`\`${start}${line}${end}\`\``
}

/** Formats text as a code block that its own backticks cannot end. */
export function formatCodeBlock(text: string): string {
  return `\`\`\`\n${text.replace(/`(?=`)/g, `\`${ZERO_WIDTH_SPACE}`)}\n\`\`\``
}
