import { formatCodeSpan } from '../messages/escape'
import type { NameCommand } from '../text/commandNames'
import type { Command } from './command'
import { type SlashCommand, slashCommands } from './slash/table'
import { commands } from './table'

type Values = Readonly<Record<string, string>>

const byId: ReadonlyMap<string, Command> = new Map(
  commands.filter(({ isListed }) => isListed).map((command) => [command.id, command]),
)

interface SlashVariant {
  readonly command: SlashCommand
  readonly fixed: Values
}

const slashById: ReadonlyMap<string | null, SlashVariant> = new Map(
  slashCommands
    .toReversed()
    .flatMap((command): (readonly [string | null, SlashVariant])[] => [
      [command.textCommand, { command, fixed: {} }],
      ...Object.entries(command.variants).map(([id, fixed]) => [id, { command, fixed }] as const),
    ]),
)

/** Names commands with the prefix that was typed. */
export function nameTextCommands(prefix: string): NameCommand {
  return (id, values = {}) => {
    const command = byId.get(id)
    return formatSpan(command ? `${prefix}${fillIn(command, values)}` : `${prefix}${id}`)
  }
}

/** Names slash commands; the others, with a prefix. */
export function nameSlashCommands(prefix: string): NameCommand {
  const nameText = nameTextCommands(prefix)
  return (id, values = {}) => {
    const variant = slashById.get(id)
    if (!variant) return nameText(id, values)
    const { command, fixed } = variant
    const options = command.options.flatMap(({ name, parameter }) => {
      const value = fixed[name] ?? (parameter === null ? undefined : values[parameter])
      return value === undefined ? [] : [` ${name}:${value}`]
    })
    return formatSpan(`/${command.name}${options.join('')}`)
  }
}

/** Returns the words of a command with values; optional parameters without one are left out. */
function fillIn({ parts }: Command, values: Values): string {
  return parts
    .flatMap((part) => {
      if ('literals' in part) return part.literals[0] ?? []
      const value = values[part.parameter]
      if (value === undefined) return part.isOptional ? [] : `<${part.parameter}>`
      return part.kind === 'word' && /\s/.test(value) ? `"${value}"` : value
    })
    .join(' ')
}

function formatSpan(text: string): string {
  return text.includes('`') ? formatCodeSpan(text) : `\`${text}\``
}
