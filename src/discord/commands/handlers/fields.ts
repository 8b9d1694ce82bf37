import type { Entity, Patch } from '../../../model/core/entity'
import type { Field } from '../../../model/core/field'
import { Problem } from '../../../model/core/validation'
import { escapeMarkdown, escapeMaskedLinks, formatCodeBlock } from '../../messages/escape'
import type { Texts } from '../../text/texts'
import type { Answer } from '../answer'
import { confirm, offerUndo } from '../ask'
import { formatBirthday } from '../cards/cards'
import { buildEmbed, shorten } from '../cards/embed'
import { type Handler, SURE } from '../command'
import type { Context } from '../context'
import { type Arguments, isFlag } from '../grammar/matchCommand'
import { unquote } from '../grammar/words'
import { Refusal } from '../refusal'
import { findSubject, requireOwnSubject, type Subject } from '../subjects'
import { parseBirthday } from '../when'
import { orNull, parseSwitched, requireGuild } from './common'
import { readPicture } from './pictures'

/** Flags of every command that shows and sets a field. */
export const fieldFlags = [
  'raw|r',
  'plaintext|pt',
  'clear|c',
  SURE,
  'id|by-id',
  'private|priv',
  'public|pub',
] as const

/** A field of an object that a command shows, sets or clears. */
interface FieldTarget {
  /** Name of the object, as people call it. */
  readonly owner: string
  readonly label: string
  readonly field: Field
  /** Reads the value as it may be shown here, and as its owner sees it. */
  readonly read: () => Promise<unknown>
  readonly readOwn: () => Promise<unknown>
  /** The field is the name of the object, as an owner is told of it. */
  readonly renames?: string
  /** Null if the account may not change it. */
  readonly write: ((value: unknown) => Promise<unknown>) | null
}

type Key<E extends Entity> = keyof E['fields'] & string

/** Shows, sets or clears a field of a system, member or group. */
export function changeField<E extends Entity, G extends Entity>(
  subject: Subject<E, G>,
  key: Key<E>,
): Handler {
  return async (context, args) => {
    const { id, own, values, name } = await findSubject(context, subject, args)
    return runField(context, args, {
      owner: name,
      label: labelOf(context.texts.fieldLabels, key),
      field: fieldOf(subject.entity, key),
      read: async () => values[key],
      readOwn: async () => own && (await subject.view(context, own.viewer, id))[key],
      ...(key === 'name' && {
        renames: subject.parameter === 'system' ? context.texts.yourSystem : escapeMarkdown(name),
      }),
      write: own && ((value) => subject.patch(context, own, id, patchOf<E>(key, value))),
    })
  }
}

/** Shows, sets or clears a field of an own system or member in this guild. */
export function changeGuildField<E extends Entity, G extends Entity>(
  subject: Subject<E, G>,
  key: Key<G>,
): Handler {
  return async (context, args) => {
    const guild = requireGuild(context)
    const { inGuild } = subject
    if (!inGuild) throw new Error(`a ${subject.parameter} has no settings in guilds`)
    const { id, own, name } = await requireOwnSubject(context, subject, args)
    const read = async () => {
      const settings = await orNull(inGuild.read(context, own, id, guild))
      return settings && new Map<string, unknown>(Object.entries(settings)).get(key)
    }
    return runField(context, args, {
      owner: name,
      label: labelOf(context.texts.serverFieldLabels, key),
      field: fieldOf(inGuild.entity, key),
      read,
      readOwn: read,
      write: (value) => inGuild.patch(context, own, id, guild, patchOf<G>(key, value)),
    })
  }
}

/**
 * Parses the texts of several fields by key. A refusal names every problem, so that nothing is stored
 * before all are right.
 */
export function parseFields<E extends Entity>(
  { texts }: Context,
  entity: E,
  fieldTexts: Readonly<Record<string, string | undefined>>,
  others: readonly string[] = [],
): Patch<E> {
  const patch = new Map<string, unknown>()
  const problems = [...others]
  for (const [key, text] of Object.entries(fieldTexts)) {
    if (text === undefined) continue
    const label = labelOf(texts.fieldLabels, key)
    const field = fieldOf(entity, key)
    const value = parseText(field, text.trim())
    if (value instanceof Problem) problems.push(explainProblem(texts, field, label, text, value))
    else patch.set(key, value)
  }
  if (problems.length > 0) throw new Refusal(problems.join('\n'))
  return Object.fromEntries(patch) as Patch<E>
}

function fieldOf(entity: Entity, key: string): Field {
  const field = entity.fields[key]
  if (!field) throw new Error(`unknown field of a command: ${key}`)
  return field
}

function labelOf(labels: Readonly<Record<string, string>>, key: string): string {
  return labels[key] ?? key
}

function patchOf<E extends Entity>(key: string, value: unknown): Patch<E> {
  return { [key]: value } as Patch<E>
}

const CLEAR_WORDS = ['clear', 'reset', 'default', 'none']

/** Words that show a field if they are all that was typed, as the flag of the same name does. */
const SHOW_WORDS: ReadonlyMap<string, string> = new Map([
  ['raw', 'raw'],
  ['r', 'raw'],
  ['plaintext', 'plaintext'],
  ['pt', 'plaintext'],
])

/** Words that show and hide a tag in a guild. */
export const TAG_WORDS = ['enable', 'disable']

const COMMAND_WORDS = [...CLEAR_WORDS, ...SHOW_WORDS.keys(), ...TAG_WORDS]

/** Reads what was typed as a value. In quotes, a word or flag of the command is a text like others. */
function parseValue({ via }: Context, typed: string | undefined) {
  const inside = unquote(typed ?? '')
  if (inside !== typed && (COMMAND_WORDS.includes(inside.toLowerCase()) || isFlag(inside)))
    return { given: inside, isClear: false }
  const word = typed?.toLowerCase() ?? ''
  // The options of slash commands have no such words.
  const shown = via === 'text' ? SHOW_WORDS.get(word) : undefined
  return { given: typed, isClear: CLEAR_WORDS.includes(word), ...(shown && { shown }) }
}

async function runField(context: Context, args: Arguments, target: FieldTarget): Promise<Answer> {
  const { field, label, owner, write } = target
  if (field.kind === 'flag') return runFlag(context, args, target)
  const { texts } = context
  const { flags } = args
  const { given, shown, ...typed } = parseValue(context, args.values.value)
  if (shown !== undefined) return show(context, target, new Set([...flags, shown]))
  const hasUpload = field.kind === 'url' && context.attachments.length > 0
  const isClear = flags.has('clear') || (!field.required && typed.isClear)
  if (given === undefined && !isClear && !hasUpload) return show(context, target, flags)
  if (!write) throw new Refusal(texts.notYours)
  if (isClear) {
    if (field.required) throw new Refusal(texts.cannotClear(label))
    const clear = () =>
      overwrite(context, target, write, field.defaultValue, {
        content: texts.cleared(escapeMarkdown(owner), label),
      })
    if (flags.has('y')) return clear()
    return confirm(context, texts.confirmClear(escapeMarkdown(owner), label), clear)
  }
  const picture = field.kind === 'url' ? await readPicture(context, given) : null
  const value = parseText(field, picture?.url ?? given ?? '')
  if (value instanceof Problem)
    throw new Refusal(
      field.kind === 'date'
        ? texts.invalidDate
        : explainProblem(texts, field, label, given ?? '', value),
    )
  const warning = picture?.warning ?? null
  const answer = showChanged(context, target, String(value), warning)
  return overwrite(context, target, write, value, answer)
}

function explainProblem(
  texts: Texts,
  { kind }: Field,
  label: string,
  typed: string,
  problem: Problem,
): string {
  return kind === 'color'
    ? texts.invalidColor(escapeMarkdown(shorten(typed, 50)))
    : texts.invalidValue(label, problem)
}

/** Texts that are longer are not lost by a mistake: the answer offers them back. */
const UNDO_LENGTH = 100

export function isWorthUndo(before: unknown, after: unknown): before is string {
  return typeof before === 'string' && before.length > UNDO_LENGTH && before !== after
}

async function overwrite(
  context: Context,
  { owner, label, readOwn }: FieldTarget,
  write: (value: unknown) => Promise<unknown>,
  value: unknown,
  answer: Answer,
): Promise<Answer> {
  const before = await readOwn()
  await write(value)
  if (!isWorthUndo(before, value)) return answer
  return offerUndo(context, answer, async () => {
    await write(before)
    return { content: context.texts.undone(escapeMarkdown(owner), label) }
  })
}

/** Shows or sets a field that is on or off; one that may be empty then follows another setting. */
async function runFlag(
  context: Context,
  { values, flags }: Arguments,
  { field, label, owner, read, write }: FieldTarget,
): Promise<Answer> {
  const { texts } = context
  if (!write) throw new Refusal(texts.notYours)
  const name = escapeMarkdown(owner)
  const { switched } = values
  const isClear =
    field.nullable && (flags.has('clear') || CLEAR_WORDS.includes(switched?.toLowerCase() ?? ''))
  if (switched === undefined && !isClear) {
    const isOn = await read()
    if (field.nullable && typeof isOn !== 'boolean')
      return { content: texts.flagFollows(name, label) }
    return { content: texts.flagIs(name, label, isOn === true) }
  }
  const value = isClear ? null : parseSwitched(context, switched ?? '')
  await write(value)
  return {
    content: value === null ? texts.cleared(name, label) : texts.flagSet(name, label, value),
  }
}

/** Parses a text as people type values of this kind. */
function parseText(field: Field, text: string): unknown {
  if (field.kind === 'color') return field.parse(text.trim().replace(/^#|^0x/i, ''))
  return field.parse(field.kind === 'date' ? (parseBirthday(text) ?? text) : text)
}

async function show(
  { texts }: Context,
  { owner, label, field, read, readOwn }: FieldTarget,
  flags: ReadonlySet<string>,
): Promise<Answer> {
  const value = await read()
  const isEmpty = (text: unknown) => text === null || text === undefined || text === ''
  if (isEmpty(value)) {
    const isHidden = !flags.has('public') && !isEmpty(await readOwn())
    return {
      content: isHidden
        ? texts.fieldIsPrivate(label)
        : texts.fieldEmpty(escapeMarkdown(owner), label),
    }
  }
  const title = texts.fieldOf(owner, label)
  const text = String(value)
  if (flags.has('raw')) return { content: formatCodeBlock(shorten(text, 1900)) }
  if (flags.has('plaintext'))
    return { embeds: [buildEmbed({ title, description: escapeMarkdown(text) })] }
  if (field.kind === 'url')
    return { embeds: [buildEmbed({ title, description: `<${text}>`, banner: text })] }
  return { embeds: [buildEmbed({ title, description: formatValue(field, text) })] }
}

function showChanged(
  { texts }: Context,
  { owner, label, field, renames }: FieldTarget,
  text: string,
  warning: string | null,
): Answer {
  const value = formatValue(field, text)
  if (renames !== undefined) return { content: texts.renamed(renames, value) }
  const changed = texts.changed(escapeMarkdown(owner), label)
  const content = warning === null ? changed : `${changed}\n${warning}`
  const title = texts.fieldTitle(label)
  if (field.kind === 'url') return { content, embeds: [buildEmbed({ title, banner: text })] }
  if (isLong(field)) return { content, embeds: [buildEmbed({ title, description: value })] }
  return { content: texts.changedTo(escapeMarkdown(owner), label, value) }
}

/** Descriptions keep their formatting; short texts are shown as typed. */
function isLong({ max = 0 }: Field): boolean {
  return max > 200
}

function formatValue(field: Field, text: string): string {
  if (field.kind === 'color') return `#${text}`
  if (field.kind === 'date') return formatBirthday(text) ?? text
  return isLong(field) ? escapeMaskedLinks(text) : escapeMarkdown(text)
}
