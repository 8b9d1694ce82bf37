import type { SlashOptionText } from '../../text/enSlash'
import type { Arguments } from '../grammar/matchCommand'
import { isParameterName, type ParameterName, parameterKinds } from '../grammar/pattern'
import { splitWords } from '../grammar/words'

type OptionType = 'text' | 'flag' | 'account' | 'channel' | 'file'

export type Completion = 'member' | 'members' | 'group' | 'setting' | 'server setting'

/** Options of an interaction: texts, flags, and IDs of accounts and channels. Files are attachments. */
export type SlashValues = Readonly<Record<string, string | boolean | undefined>>

/** An option of a slash command. */
export interface SlashOption {
  readonly name: string
  /** Key of its description. */
  readonly description: SlashOptionText
  readonly type: OptionType
  readonly isRequired: boolean
  /** Parameter of the text commands that takes its value; null if the handler reads the option. */
  readonly parameter: ParameterName | null
  /** Its value is the flag of the text commands that begins so. */
  readonly flagPrefix?: string
  readonly choices?: readonly string[]
  /** Kind of names that are completed while the person types. */
  readonly completes?: Completion
}

type Details = Partial<Omit<SlashOption, 'name' | 'description' | 'isRequired'>>

export function required(
  name: string,
  description: SlashOptionText,
  details: Details = {},
): SlashOption {
  const parameter = isParameterName(name) ? name : null
  return { type: 'text', parameter, ...details, name, description, isRequired: true }
}

export function optional(
  name: string,
  description: SlashOptionText,
  details: Details = {},
): SlashOption {
  return { ...required(name, description, details), isRequired: false }
}

/** Creates an option that is the flag of the same name. */
export function flag(name: string, description: SlashOptionText): SlashOption {
  return optional(name, description, { type: 'flag' })
}

/** Converts options to the arguments of a text command. */
export function toArguments(options: readonly SlashOption[], slashValues: SlashValues): Arguments {
  const values: Partial<Record<ParameterName, string>> = {}
  const lists: Partial<Record<ParameterName, readonly string[]>> = {}
  const flags = new Set<string>()
  for (const { name, type, parameter, flagPrefix } of options) {
    if (type === 'flag' && slashValues[name] === true) flags.add(name)
    const value = textOf(slashValues[name])
    if (value === undefined) continue
    if (flagPrefix !== undefined) flags.add(`${flagPrefix}${value}`)
    else if (parameter === null) continue
    else if (parameterKinds[parameter] === 'words') lists[parameter] ??= wordsOf(value)
    else values[parameter] ??= value
  }
  return { values, lists, flags }
}

/** Returns the value of an option as a text; undefined if it is a flag, missing or empty. */
export function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function wordsOf(value: string | boolean | undefined): string[] {
  return splitWords(textOf(value) ?? '').map((word) => word.text.replace(/,$/, ''))
}
