import { MAX_TAGS, Problem } from '../model/check'
import type { Entity, JsonObject, Level, Patch } from '../model/entity'
import type { Field, Kind } from '../model/field'
import { isUuid, parseRef } from '../model/ref'
import { type Part, type Subject, UnreadableFile } from './bundle'
import type { Ledger } from './ledger'

/** Reads the keys of a table that the row gives; what the table refuses is mended and noted. */
export function mendFields<E extends Entity>(
  entity: E,
  row: JsonObject,
  subject: Subject,
  ledger: Ledger,
): Patch<E> {
  const values: JsonObject = {}
  for (const [key, field] of entity.entries) {
    const given = Object.hasOwn(row, key) ? row[key] : undefined
    if (given === undefined) continue
    const { now, why, was = given } = mend(field, given)
    if (now !== undefined) values[key] = now
    if (why === undefined) continue
    ledger.repair(subject, key, was, now, why)
    if (field.kind === 'text' && typeof given === 'string' && given.length > (field.max ?? 0))
      ledger.keep('longTexts', { ...subject, field: key, text: given })
  }
  return values as Patch<E>
}

/** Levels as others spell them: null is public, an empty word and every unknown one private. */
export function mendLevels<E extends Entity>(
  entity: E,
  row: JsonObject,
  subject: Subject,
  ledger: Ledger,
): Patch<E> {
  const levels: Record<string, Level> = {}
  for (const level of entity.levels) {
    const given = Object.hasOwn(row, level) ? row[level] : undefined
    if (given === undefined) continue
    levels[level] = given === null || given === 'public' ? 'public' : 'private'
    if (given !== null && given !== '' && given !== levels[level])
      ledger.repair(subject, level, given, 'private', 'neither public nor private')
  }
  return levels as Patch<E>
}

export function allLevels<E extends Entity>(entity: E, level: Level): Patch<E> {
  return Object.fromEntries(entity.levels.map((key) => [key, level])) as Patch<E>
}

/** The name that was read, or something to call the thing by: an entity without one cannot be. */
export function nameOr(
  name: string | undefined,
  instead: string | null | undefined,
  subject: Subject,
  ledger: Ledger,
): string {
  if (name) return name
  const chosen = instead || 'Unnamed'
  ledger.repair(subject, 'name', null, chosen, 'a name is required')
  return chosen
}

/** The row with blank texts as nothing. */
export function withoutBlanks(row: JsonObject): JsonObject {
  const entries = Object.entries(row).map(([key, value]) =>
    typeof value === 'string' && value.trim() === '' ? [key, null] : [key, value],
  )
  return Object.fromEntries(entries)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects of a list that the file may leave out. What is none is a row left out. */
export function rowsOf(
  file: JsonObject,
  name: string,
  part: Exclude<Part, 'memberships'>,
  ledger: Ledger,
): JsonObject[] {
  const list = file[name] ?? []
  if (!Array.isArray(list)) throw new UnreadableFile('broken', `"${name}" is not a list.`)
  const rows = list.filter(isObject)
  const lost = list.length - rows.length
  const kind = kinds[part]
  if (lost > 0) ledger.leaveOut(part, { kind, name: null }, kind, null, 'not an object', lost)
  return rows
}

const kinds = { members: 'member', groups: 'group', switches: 'switch' } as const

/** Before any of them is read: a file with more is refused, however long its rows are. */
export function refuseMore(
  reason: 'tooManyMembers' | 'tooManyGroups' | 'tooManySwitches',
  count: number,
  most: number = Infinity,
): void {
  if (count <= most) return
  const what = { tooManyMembers: 'members', tooManyGroups: 'groups', tooManySwitches: 'switches' }
  const shown = most.toLocaleString('en')
  throw new UnreadableFile(reason, `The file has more than ${shown} ${what[reason]}.`)
}

/** What a row is called by, as text; a number that was rounded names nothing. */
export function readRef(value: unknown): string | undefined {
  return typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : undefined
}

export function readHid(value: unknown): string | undefined {
  const ref = typeof value === 'string' ? parseRef(value) : null
  return ref && 'hid' in ref ? ref.hid : undefined
}

/** Clients accept no other version than 4, so that another cannot be kept. */
export function readUuid(value: unknown): string | undefined {
  return typeof value === 'string' && isUuid(value) && /^.{14}4.{4}[89ab]/i.test(value)
    ? value.toLowerCase()
    : undefined
}

/** The members that a list names, each once and in order. What it names in vain goes to `miss`. */
export function resolveMembers(
  refs: unknown,
  keys: ReadonlyMap<string, string>,
  miss: (ref: string) => void,
): string[] {
  if (!Array.isArray(refs)) return []
  const found: string[] = []
  for (const ref of refs) {
    const name = readRef(ref) ?? `(${typeof ref})`
    const key = keys.get(name) ?? keys.get(name.toLowerCase())
    if (key === undefined) miss(name)
    else found.push(key)
  }
  return found.length > 1 ? [...new Set(found)] : found
}

interface Mended {
  /** Undefined leaves the key as it is. */
  now: unknown
  why?: string
  was?: unknown
}

function mend(field: Field, given: unknown): Mended {
  if (given === null && !field.nullable)
    return { now: Array.isArray(field.initial) ? [] : undefined }
  const value = field.kind === 'url' ? withoutBrackets(given) : given
  const read = field.read(value)
  if (!(read instanceof Problem)) return { now: read }
  return menders[field.kind]?.(field, value, read) ?? { now: undefined, why: 'cannot be stored' }
}

type Mender = (field: Field, value: unknown, problem: Problem) => Mended

/** How the kinds are mended that can be; a value of another is left out. */
const menders: Partial<Record<Kind, Mender>> = {
  text: mendText,
  color: mendColor,
  url: (_, value, { max_length }) => ({
    now: typeof value === 'string' ? null : undefined,
    why: max_length ? `longer than ${max_length} characters` : 'not a web address',
  }),
  date: mendDate,
  timestamp: leave('not a time'),
  flag: leave('neither true nor false'),
  count: leave('not a count'),
  choice: (field) => ({ now: field.initial, why: 'not one of the choices' }),
  timezone: leave('not a known time zone'),
  texts: mendTexts,
  proxyTags: mendTags,
}

function leave(why: string): Mender {
  return () => ({ now: undefined, why })
}

function mendText(field: Field, value: unknown): Mended {
  if (typeof value !== 'string' && typeof value !== 'number')
    return { now: undefined, why: 'not text' }
  const text = storable(String(value))
  const now = field.read(cut(text, field.max ?? text.length))
  const why =
    typeof value === 'number'
      ? 'a number where text is due'
      : text.length > (field.max ?? text.length)
        ? `cut to ${field.max} characters`
        : 'characters that cannot be stored were removed'
  return { now: now instanceof Problem ? undefined : now, why }
}

function mendColor(field: Field, value: unknown): Mended {
  const now = typeof value === 'string' ? field.read(value.trim().replace(/^#/, '')) : null
  return now instanceof Problem || now === null
    ? { now: null, why: 'not a colour' }
    : { now, why: 'colours are written as six digits' }
}

/** Takes a whole timestamp's day; "no year" is the year 4, the first that has a 29 February. */
function mendDate(field: Field, value: unknown): Mended {
  const match = typeof value === 'string' ? /^(\d{4})(-\d\d-\d\d)(?:[T ]|$)/.exec(value) : null
  if (!match) return { now: null, why: 'not a date' }
  const [, year, day] = match
  const now = field.read(`${year === '0000' || year === '0001' ? '0004' : year}${day}`)
  return now instanceof Problem
    ? { now: null, why: 'not a real date' }
    : { now, why: 'dates are written as YYYY-MM-DD, without a year as 0004' }
}

function mendTexts(field: Field, value: unknown): Mended {
  if (!Array.isArray(value)) return { now: undefined, why: 'not a list' }
  const texts = value.flatMap((item) => {
    if (typeof item !== 'string') return []
    const text = storable(item)
    const read = field.read([text])
    return [read instanceof Problem ? cut(text, read.max_length ?? 0) : text]
  })
  return { now: texts.slice(0, field.max), why: 'too many, too long, or not text' }
}

function mendTags(field: Field, value: unknown): Mended {
  if (!Array.isArray(value)) return { now: undefined, why: 'not a list' }
  const kept: unknown[] = []
  const dropped: unknown[] = []
  for (const item of value) {
    const read = field.read([isObject(item) ? storableTag(item) : item])
    if (read instanceof Problem || kept.length >= MAX_TAGS) dropped.push(item)
    else if (Array.isArray(read)) kept.push(...read)
  }
  return dropped.length === 0
    ? { now: kept, why: 'characters that cannot be stored were removed' }
    : { now: kept, why: `${dropped.length} tags cannot be stored`, was: spellTag(dropped[0]) }
}

function storableTag({ prefix, suffix }: JsonObject): JsonObject {
  const part = (value: unknown) => (typeof value === 'string' ? storable(value) : value)
  return { prefix: part(prefix), suffix: part(suffix) }
}

function spellTag(tag: unknown): unknown {
  if (!isObject(tag)) return tag
  return `${readRef(tag.prefix) ?? ''}text${readRef(tag.suffix) ?? ''}`
}

function withoutBrackets(value: unknown): unknown {
  return typeof value === 'string' ? value.trim().replace(/^<(.*)>$/s, '$1') : value
}

function storable(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '')
}

/** Never between the halves of a surrogate pair. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')
}
