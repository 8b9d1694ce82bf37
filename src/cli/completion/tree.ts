import type { Command } from '../command'

/** First word of commands: a command such as `serve`, a group such as `system`, or both. */
export interface Branch {
  readonly word: string
  readonly summary: string
  /** Commands of a group; empty for a command of one word. */
  readonly group: readonly { word: string; summary: string }[]
}

export function branchesOf(commands: readonly Command[]): Branch[] {
  const groups = Map.groupBy(commands, ({ name }) => firstWord(name))
  return [...groups].map(([word, members]) => {
    const command = members.find(({ name }) => name === word)
    const group = members.flatMap(({ name, summary }) =>
      name === word ? [] : [{ word: name.slice(word.length + 1), summary }],
    )
    const words = group.map((item) => item.word).join(', ')
    return {
      word,
      summary: command?.summary ?? `Commands: ${words}`,
      group,
    }
  })
}

/** Not in the table of commands, because it is handled before a command is searched for. */
export const help = { word: 'help', summary: 'Show help for the program, a group or a command' }

export function takesFile({ args = [] }: Command): boolean {
  return args.includes('FILE')
}

/** Quotes a word for bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function firstWord(name: string): string {
  return name.split(' ')[0] ?? name
}
