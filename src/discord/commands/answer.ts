import type { APIEmbed } from 'discord-api-types/v10'
import type { CommandId } from '../text/enCommands'

export type Embed = APIEmbed

export interface Button {
  /** Opaque ID of a prompt and its action, or null for a link. */
  readonly id: string
  readonly label: string
  readonly style: 'primary' | 'secondary' | 'success' | 'danger'
  readonly isDisabled?: boolean
}

export interface AnswerFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A form of up to five text fields that an interaction can answer with. */
export interface Modal {
  readonly id: string
  readonly title: string
  readonly fields: readonly ModalField[]
}

export interface ModalField {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly isLong: boolean
  readonly isRequired: boolean
  readonly maxLength: number
}

/** Answer of a command as data. The transport sends it; commands never touch a socket. */
export interface Answer {
  readonly content?: string
  readonly embeds?: readonly Embed[]
  readonly buttons?: readonly Button[]
  readonly files?: readonly AnswerFile[]
  /** Only for interactions, as the first response. */
  readonly modal?: Modal
  /** Text of a second message, alone for copying. */
  readonly copy?: string
  /** Only the account that asked may see it: a direct message, or an ephemeral response. */
  readonly isPrivate?: boolean
  /** Visible to all members of the channel, although an interaction asked. */
  readonly isPublic?: boolean
  /** Replaces the message with the buttons that were pressed. */
  readonly replaces?: boolean
  /** Deletes the message with the command, in guilds, if the bot may. */
  readonly deletesCommand?: boolean
  /** Reaction to the command instead of a message. */
  readonly reaction?: string
  /** The only account that this answer may ping. */
  readonly pings?: string
  /** Commands that the answer names, which the account may then write without a prefix. */
  readonly expects?: readonly CommandId[]
  /** The command was refused; for metrics. */
  readonly isRefusal?: boolean
  /** Milliseconds after which the transport deletes the answer. */
  readonly deleteAfter?: number
}

/** Maximum number of characters in one message. */
export const MAX_CONTENT = 2000
/** Maximum number of characters in all embeds of a message. */
export const MAX_EMBEDS = 6000

const styles = { primary: 1, secondary: 2, success: 3, danger: 4 } as const
const BUTTONS_PER_ROW = 5

/** Builds the JSON of a message. Only the account that the answer names is pinged. */
export function toMessageBody({ content, embeds, buttons, pings }: Answer) {
  return {
    content: content ?? '',
    embeds: embeds ?? [],
    components: rowsOf(buttons ?? []),
    allowed_mentions: { parse: [], users: pings === undefined ? [] : [pings], replied_user: false },
  }
}

function rowsOf(buttons: readonly Button[]) {
  const rows = []
  for (let at = 0; at < buttons.length; at += BUTTONS_PER_ROW)
    rows.push({
      type: 1,
      components: buttons.slice(at, at + BUTTONS_PER_ROW).map((button) => ({
        type: 2,
        custom_id: button.id,
        label: button.label,
        style: styles[button.style],
        disabled: button.isDisabled ?? false,
      })),
    })
  return rows
}

/** Builds the data of a modal response. */
export function toModalBody({ id, title, fields }: Modal) {
  return {
    custom_id: id,
    title,
    components: fields.map((field) => ({
      type: 1,
      components: [
        {
          type: 4,
          custom_id: field.id,
          label: field.label,
          style: field.isLong ? 2 : 1,
          required: field.isRequired,
          max_length: field.maxLength,
          ...(field.value !== '' && { value: field.value }),
        },
      ],
    })),
  }
}
