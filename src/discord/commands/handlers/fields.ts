import type { Field } from '../../../model/field'
import { Problem } from '../../../model/validation'
import { escapeMarkdown, escapeMaskedLinks, formatCodeBlock } from '../../messages/escape'
import type { Answer } from '../answer'
import { confirm } from '../ask'
import { formatBirthday } from '../cards/cards'
import { buildEmbed, shorten } from '../cards/embed'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { parseAccount } from '../references'
import { Refusal } from '../refusal'
import { parseBirthday } from '../when'

/** Flags of every command that shows and sets a field. */
export const fieldFlags = [
  'raw',
  'plaintext',
  'pt',
  'clear',
  'y',
  'yes',
  'id',
  'private',
  'public',
] as const

/** A field of a system, member or group that a command shows, sets or clears. */
export interface FieldTarget {
  /** What the field belongs to, as people call it. */
  readonly owner: string
  readonly label: string
  readonly field: Field
  readonly read: () => Promise<unknown>
  /** Null if the account may not change it. */
  readonly write: ((value: unknown) => Promise<unknown>) | null
}

const CLEAR_WORDS = ['clear', 'reset', 'none']

export async function runField(
  context: Context,
  { values, flags }: Arguments,
  target: FieldTarget,
): Promise<Answer> {
  const { texts } = context
  const given = values.value ?? values.name
  const isImage = target.field.kind === 'url'
  const hasUpload = isImage && context.attachments.length > 0
  const isClear =
    flags.has('clear') ||
    (!target.field.required && CLEAR_WORDS.includes(given?.toLowerCase() ?? ''))
  if (given === undefined && !isClear && !hasUpload) return show(context, target, flags)
  const { write } = target
  if (!write) throw new Refusal(texts.notYours)
  if (isClear) {
    if (target.field.required) throw new Refusal(texts.cannotClear(target.label))
    const clear = async (): Promise<Answer> => {
      await write(target.field.defaultValue)
      return { content: texts.cleared(escapeMarkdown(target.owner), target.label) }
    }
    const isSure = flags.has('y') || flags.has('yes')
    if (isSure) return clear()
    return confirm(context, texts.confirmClear(escapeMarkdown(target.owner), target.label), clear)
  }
  const value = parseValue(context, target, await readInput(context, target, given))
  await write(value)
  return showChanged(context, target, value)
}

async function readInput(
  context: Context,
  { field }: FieldTarget,
  given: string | undefined,
): Promise<string> {
  const { texts, discord, attachments } = context
  if (field.kind === 'color') return (given ?? '').trim().replace(/^#|^0x/i, '')
  if (field.kind === 'date') {
    const date = parseBirthday(given ?? '')
    if (date === null) throw new Refusal(texts.invalidDate)
    return date
  }
  if (field.kind !== 'url') return given ?? ''
  const [upload] = attachments
  if (given === undefined && upload) {
    if (!upload.contentType?.startsWith('image/')) throw new Refusal(texts.notAnImage)
    // The signature in the query expires; Discord adds a new one when it shows the picture.
    return upload.url.replace(/\?.*$/s, '')
  }
  const account = parseAccount(given ?? '')
  if (account === null) return (given ?? '').trim().replace(/^<(.*)>$/s, '$1')
  const found = await discord.findAccount(account)
  if (!found?.avatarUrl) throw new Refusal(texts.accountHasNoAvatar)
  return found.avatarUrl
}

function parseValue({ texts }: Context, { field, label }: FieldTarget, text: string): unknown {
  const value = field.parse(text)
  if (value instanceof Problem)
    throw new Refusal(texts.invalidValue(label, value.message, value.actual_length))
  return value
}

async function show(
  { texts }: Context,
  { owner, label, field, read }: FieldTarget,
  flags: ReadonlySet<string>,
): Promise<Answer> {
  const value = await read()
  if (value === null || value === undefined || value === '')
    return { content: texts.fieldEmpty(escapeMarkdown(owner), label) }
  const title = texts.fieldOf(owner, label)
  const text = String(value)
  if (flags.has('raw')) return { content: formatCodeBlock(shorten(text, 1900)) }
  if (flags.has('plaintext') || flags.has('pt'))
    return { embeds: [buildEmbed({ title, description: escapeMarkdown(text) })] }
  if (field.kind === 'url')
    return { embeds: [buildEmbed({ title, description: `<${text}>`, banner: text })] }
  return { embeds: [buildEmbed({ title, description: formatValue(field, text) })] }
}

function showChanged(
  { texts }: Context,
  { owner, label, field }: FieldTarget,
  value: unknown,
): Answer {
  const text = String(value)
  const content = texts.changed(escapeMarkdown(owner), label)
  const embed =
    field.kind === 'url'
      ? { title: label, banner: text }
      : { title: label, description: formatValue(field, text) }
  return { content, embeds: [buildEmbed(embed)] }
}

function formatValue({ kind, max = 0 }: Field, text: string): string {
  if (kind === 'color') return `#${text}`
  if (kind === 'date') return formatBirthday(text) ?? text
  // Descriptions keep their formatting; short texts are shown as typed.
  return max > 200 ? escapeMaskedLinks(text) : escapeMarkdown(text)
}
