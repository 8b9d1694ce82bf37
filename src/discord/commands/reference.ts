import { commandSummaries } from '../text/enCommands'
import { slashTexts } from '../text/enSlash'
import type { Command } from './command'
import { slashCommands } from './slash/table'
import { commands } from './table'

/** Builds the tables of commands in `docs/discord.md` from the command table. */
export function buildCommandReference(): string {
  return [...textCommands(), '', ...slash()].join('\n')
}

function textCommands(): string[] {
  const rows = commands
    .filter(({ isListed }) => isListed)
    .map((command) => [code(command.usage), aliasesOf(command), describe(command)])
  return table(['command', 'other words', 'effect'], rows)
}

function describe({ id, needs, where }: Command): string {
  const notes = [
    ...(needs === null ? [] : [`needs ${needs}`]),
    ...(where === 'servers' ? ['servers only'] : []),
    ...(where === 'private' ? ['answered in private'] : []),
  ]
  const summary = commandSummaries[id]
  return notes.length === 0 ? summary : `${summary} (${notes.join(', ')})`
}

/** Other words for the last word of a command; those of the first are the same in each row. */
function aliasesOf({ parts }: Command): string {
  const last = parts.findLast((part) => 'literals' in part)
  if (!last || !('literals' in last)) return ''
  return last.literals
    .slice(1)
    .map((name) => code(name))
    .join(' ')
}

function slash(): string[] {
  const rows = slashCommands.map(({ name, options }) => [
    code(`/${name}`),
    optionsOf(options),
    slashTexts.commands[name],
  ])
  return table(['slash command', 'options', 'effect'], rows)
}

function optionsOf(options: readonly { name: string; isRequired: boolean }[]): string {
  return options.map(({ name, isRequired }) => code(isRequired ? name : `[${name}]`)).join(' ')
}

function code(text: string): string {
  return `\`${text}\``
}

/** Aligns the columns, as the formatter of this repository does. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, index) =>
    Math.max(...[head, ...rows].map((cells) => (cells[index] ?? '').length)),
  )
  const line = (cells: readonly string[], filler = ' ') =>
    `| ${widths.map((width, index) => (cells[index] ?? '').padEnd(width, filler)).join(' | ')} |`
  return [line(head), line([], '-'), ...rows.map((cells) => line(cells))]
}
