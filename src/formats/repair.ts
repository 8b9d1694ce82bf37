import type { Entity, JsonObject, Level, Patch } from '../model/core/entity'
import type { Field, Repaired } from '../model/core/field'
import { isUuid, parseRef } from '../model/core/ref'
import { isObject, Problem, parseText } from '../model/core/validation'
import type { Part } from '../model/transfer/transfer'
import { type Subject, subjectKinds, UnreadableFile } from './bundle'
import type { ImportLog } from './importLog'

/** Parses the fields of an entity; values that the field table rejects are repaired and logged. */
export function repairFields<E extends Entity>(
  entity: E,
  row: JsonObject,
  subject: Subject,
  log: ImportLog,
): Patch<E> {
  const values: JsonObject = {}
  for (const [key, field] of entity.entries) {
    const value = Object.hasOwn(row, key) ? row[key] : undefined
    if (value === undefined) continue
    const { now, why, was = value, fullText } = repairValue(field, value)
    if (now !== undefined) values[key] = now
    if (why === undefined) continue
    log.repair(subject, key, was, now, why)
    if (fullText !== undefined) log.archive('longTexts', { ...subject, field: key, text: fullText })
  }
  return values as Patch<E>
}

/** Parses privacy levels of other programs: null is public, empty and unknown texts are private. */
export function repairLevels<E extends Entity>(
  entity: E,
  row: JsonObject,
  subject: Subject,
  log: ImportLog,
): Patch<E> {
  const levels: Record<string, Level> = {}
  for (const level of entity.levels) {
    const value = Object.hasOwn(row, level) ? row[level] : undefined
    if (value === undefined) continue
    levels[level] = value === null || value === 'public' ? 'public' : 'private'
    if (value !== null && value !== '' && value !== levels[level])
      log.repair(subject, level, value, 'private', 'not_level')
  }
  return levels as Patch<E>
}

export function allLevels<E extends Entity>(entity: E, level: Level): Patch<E> {
  return Object.fromEntries(entity.levels.map((key) => [key, level])) as Patch<E>
}

/** Returns the name, or a replacement, because every entity needs a name. */
export function nameOr(
  name: string | undefined,
  replacement: string | null | undefined,
  subject: Subject,
  log: ImportLog,
): string {
  if (name) return name
  const chosen = replacement || 'Unnamed'
  log.repair(subject, 'name', null, chosen, 'name_required')
  return chosen
}

/** Returns true for null, undefined, an empty text, an empty list and an object without keys. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

/** Replaces blank texts by null. */
export function withoutBlanks(row: JsonObject): JsonObject {
  const entries = Object.entries(row).map(([key, value]) =>
    typeof value === 'string' && value.trim() === '' ? [key, null] : [key, value],
  )
  return Object.fromEntries(entries)
}

/** Returns the objects in an optional list of the file. Other items are logged as dropped rows. */
export function rowsOf(
  file: JsonObject,
  name: string,
  part: Exclude<Part, 'memberships'>,
  log: ImportLog,
): JsonObject[] {
  const list = file[name] ?? []
  if (!Array.isArray(list)) throw new UnreadableFile('broken', `"${name}" is not a list.`)
  const rows = list.filter(isObject)
  const lost = list.length - rows.length
  const kind = subjectKinds[part]
  if (lost > 0) log.dropRow(part, { kind, name: null }, kind, null, 'not_object', lost)
  return rows
}

/** Throws if the file has too many rows. Called before any of them is parsed. */
export function rejectTooMany(
  reason: 'tooManyMembers' | 'tooManyGroups' | 'tooManySwitches',
  count: number,
  max: number = Infinity,
): void {
  if (count <= max) return
  const nouns = { tooManyMembers: 'members', tooManyGroups: 'groups', tooManySwitches: 'switches' }
  const shown = max.toLocaleString('en')
  throw new UnreadableFile(reason, `The file has more than ${shown} ${nouns[reason]}.`)
}

/** Parses a reference as text. A number that a double has rounded is not a reference. */
export function readRef(value: unknown): string | undefined {
  return typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : undefined
}

/** Accepts IDs of rows in other apps, which are stored to find the rows again. */
export function isSourceId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && parseText(value, MAX_SOURCE_ID) === value
}

const MAX_SOURCE_ID = 100

export function readHid(value: unknown): string | undefined {
  const ref = typeof value === 'string' ? parseRef(value) : null
  return ref && 'hid' in ref ? ref.hid : undefined
}

/** Accepts version 4 only, because clients accept no other UUIDs. */
export function readUuid(value: unknown): string | undefined {
  return typeof value === 'string' && isUuid(value) && /^.{14}4.{4}[89ab]/i.test(value)
    ? value.toLowerCase()
    : undefined
}

/**
 * Resolves references to members, without duplicates and in order. Calls `miss` for unknown ones.
 */
export function resolveMembers(
  refs: unknown,
  keys: ReadonlyMap<string, string>,
  miss: (ref: string) => void,
): string[] {
  if (!Array.isArray(refs)) return []
  const memberKeys: string[] = []
  for (const ref of refs) {
    const name = readRef(ref) ?? `(${typeof ref})`
    const key = keys.get(name) ?? keys.get(name.toLowerCase())
    if (key === undefined) miss(name)
    else memberKeys.push(key)
  }
  return memberKeys.length > 1 ? [...new Set(memberKeys)] : memberKeys
}

function repairValue(field: Field, value: unknown): Repaired {
  if (value === null && !field.nullable)
    return { now: Array.isArray(field.defaultValue) ? [] : undefined }
  const read = field.parse(value)
  return read instanceof Problem ? field.repair(value) : { now: read }
}

/** Returns non-blank text. Numbers, objects and blanks count as missing. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/**
 * Returns six digits for known notations; other text is unchanged, and the field table rejects it.
 */
export function colorOf(value: unknown, subject: Subject, log: ImportLog): string | undefined {
  const digits = textOf(value)?.trim().replace(/^#/, '').toLowerCase()
  if (digits === undefined || !/^([0-9a-f]{3}|[0-9a-f]{8})$/.test(digits)) return digits
  if (digits.length === 3) return digits.replace(/./g, '$&$&')
  if (digits.startsWith('ff')) return digits.slice(2)
  const color = digits.slice(0, 6)
  if (!digits.endsWith('ff')) log.repair(subject, 'color', value, color, 'alpha_removed')
  return color
}
