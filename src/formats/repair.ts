import type { Entity, JsonObject, Level, Patch } from '../model/entity'
import type { Field, Repaired } from '../model/field'
import { isUuid, parseRef } from '../model/ref'
import type { Part } from '../model/transfer'
import { Problem } from '../model/validation'
import { type Subject, UnreadableFile } from './bundle'
import type { ImportLog } from './importLog'

/** Reads the keys of a table that the row gives; what the table refuses is mended and noted. */
export function repairFields<E extends Entity>(
  entity: E,
  row: JsonObject,
  subject: Subject,
  log: ImportLog,
): Patch<E> {
  const values: JsonObject = {}
  for (const [key, field] of entity.entries) {
    const given = Object.hasOwn(row, key) ? row[key] : undefined
    if (given === undefined) continue
    const { now, why, was = given, whole } = repairValue(field, given)
    if (now !== undefined) values[key] = now
    if (why === undefined) continue
    log.repair(subject, key, was, now, why)
    if (whole !== undefined) log.archive('longTexts', { ...subject, field: key, text: whole })
  }
  return values as Patch<E>
}

/** Levels as others spell them: null is public, an empty word and every unknown one private. */
export function repairLevels<E extends Entity>(
  entity: E,
  row: JsonObject,
  subject: Subject,
  log: ImportLog,
): Patch<E> {
  const levels: Record<string, Level> = {}
  for (const level of entity.levels) {
    const given = Object.hasOwn(row, level) ? row[level] : undefined
    if (given === undefined) continue
    levels[level] = given === null || given === 'public' ? 'public' : 'private'
    if (given !== null && given !== '' && given !== levels[level])
      log.repair(subject, level, given, 'private', 'neither public nor private')
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
  log: ImportLog,
): string {
  if (name) return name
  const chosen = instead || 'Unnamed'
  log.repair(subject, 'name', null, chosen, 'a name is required')
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
  log: ImportLog,
): JsonObject[] {
  const list = file[name] ?? []
  if (!Array.isArray(list)) throw new UnreadableFile('broken', `"${name}" is not a list.`)
  const rows = list.filter(isObject)
  const lost = list.length - rows.length
  const kind = kinds[part]
  if (lost > 0) log.dropRow(part, { kind, name: null }, kind, null, 'not an object', lost)
  return rows
}

const kinds = { members: 'member', groups: 'group', switches: 'switch' } as const

/** Before any of them is read: a file with more is refused, however long its rows are. */
export function rejectTooMany(
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

function repairValue(field: Field, given: unknown): Repaired {
  if (given === null && !field.nullable)
    return { now: Array.isArray(field.defaultValue) ? [] : undefined }
  const read = field.read(given)
  return read instanceof Problem ? field.repair(given) : { now: read }
}
