import type { Command } from '../command'

/** The first words of all commands: each a command of its own, or the group of those behind it. */
export interface Branch {
  readonly word: string
  readonly summary: string
  /** The commands of a group; none for a command of one word. */
  readonly group: readonly { word: string; summary: string }[]
}

export function branchesOf(commands: readonly Command[]): Branch[] {
  const groups = Map.groupBy(commands, ({ name }) => firstWord(name))
  return [...groups].map(([word, own]) => {
    const [first] = own
    const group = own.flatMap(({ name, summary }) =>
      name === word ? [] : [{ word: name.slice(word.length + 1), summary }],
    )
    const words = group.map((one) => one.word).join(', ')
    return {
      word,
      summary: group.length > 0 ? `Commands: ${words}` : (first?.summary ?? ''),
      group,
    }
  })
}

/** Not in the table of commands, because it is answered before one is looked for. */
export const help = { word: 'help', summary: 'Explain the program, a group or a command' }

export function takesFile({ args = [] }: Command): boolean {
  return args.includes('FILE')
}

/** As a shell takes it whole. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function firstWord(name: string): string {
  return name.split(' ')[0] ?? name
}
