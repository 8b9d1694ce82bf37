import type {
  APIApplicationCommandAutocompleteInteraction,
  APIChatInputApplicationCommandInteraction,
  APIModalSubmitInteraction,
} from 'discord-api-types/v10'
import type { Attachment } from '../discordInterface'
import type { SlashValues } from '../slash/option'

type Data = (
  | APIChatInputApplicationCommandInteraction
  | APIApplicationCommandAutocompleteInteraction
)['data']

/** A slash command that an account used, or is typing. */
export interface SlashUse {
  /** Name with its subcommand, such as `member info`. */
  readonly name: string
  readonly values: SlashValues
  readonly attachments: readonly Attachment[]
  /** Option that the account is typing. */
  readonly focused: { readonly name: string; readonly typed: string } | null
}

interface Option {
  readonly name: string
  readonly type: number
  readonly value?: string | number | boolean
  readonly focused?: boolean
  readonly options?: readonly Option[]
}

const SUBCOMMAND = 1
const FILE = 11

export function parseSlashUse({ name, options = [], resolved }: Data): SlashUse {
  const topOptions: readonly Option[] = options
  const subcommand = topOptions.find(({ type }) => type === SUBCOMMAND)
  const usedOptions = subcommand ? (subcommand.options ?? []) : topOptions
  const files = resolved?.attachments ?? {}
  const focused = usedOptions.find((option) => option.focused === true)
  return {
    name: subcommand ? `${name} ${subcommand.name}` : name,
    values: Object.fromEntries(
      usedOptions.flatMap(({ name: option, type, value }) =>
        type === FILE || value === undefined
          ? []
          : [[option, typeof value === 'number' ? String(value) : value]],
      ),
    ),
    attachments: usedOptions.flatMap(({ type, value }) => {
      const file = type === FILE ? files[String(value)] : undefined
      if (!file) return []
      const { url, filename, size, content_type } = file
      return [{ url, filename, size, contentType: content_type ?? null }]
    }),
    focused: focused ? { name: focused.name, typed: String(focused.value ?? '') } : null,
  }
}

interface Row {
  readonly type: number
  readonly components?: readonly { readonly custom_id: string; readonly value?: string }[]
}

/** Returns the texts of a submitted form by the IDs of their fields. */
export function parseFormFields({
  components,
}: APIModalSubmitInteraction['data']): Record<string, string> {
  const rows: readonly Row[] = components
  const inputs = rows.flatMap(({ components: inner = [] }) => inner)
  return Object.fromEntries(
    inputs.flatMap(({ custom_id, value }) => (value === undefined ? [] : [[custom_id, value]])),
  )
}
