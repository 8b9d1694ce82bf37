import { error, type Problems } from './errors'
import type { Field, ValueOf } from './field'
import type { Platform } from './platform'
import { Problem } from './validation'

export type Fields = Record<string, Field>
export type Level = 'public' | 'private'

/** A field table with its name and privacy levels. */
export interface Entity<F extends Fields = Fields, L extends string = string> {
  readonly name: string
  readonly fields: F
  /** Entries of `fields`, computed once instead of per row. */
  readonly entries: readonly (readonly [key: string, field: Field])[]
  readonly levels: readonly L[]
  /** Row of a draft without any key. */
  readonly defaults: JsonObject
}

export function entity<F extends Fields, const L extends string = never>(
  name: string,
  fields: F,
  levels: readonly L[] = [],
): Entity<F, L> {
  const entries = Object.entries(fields)
  const defaults = Object.fromEntries([
    ...entries.map(([key, { defaultValue }]) => [key, defaultValue]),
    ...levels.map((level) => [level, 'public']),
  ])
  return { name, fields, entries, levels, defaults }
}

/** Returns the field table with some of its fields only, for patches that may change no others. */
export function withKeys<E extends Entity>(entity: E, keys: readonly string[]): E {
  const entries = entity.entries.filter(([key]) => keys.includes(key))
  return { ...entity, fields: Object.fromEntries(entries), entries }
}

type Levels<L extends string> = { [K in L]: Level }
type Values<F extends Fields> = { -readonly [K in keyof F]: ValueOf<F[K]> }

/** Stored values of an entity, by key. */
export type Row<E> = E extends Entity<infer F, infer L> ? Values<F> & Levels<L> : never

/** A partial row, already parsed and validated. */
export type Patch<E> = Partial<Row<E>>

type RequiredKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends { required: true } ? K : never
}[keyof F]

/** A patch with every required key, for a new row. */
export type Draft<E> =
  E extends Entity<infer F, string> ? Patch<E> & { [K in RequiredKeys<F>]: ValueOf<F[K]> } : never

/** Identifiers that every system, member and group has besides its fields. */
export interface Identity {
  /** Primary key; internal, never in a response. */
  id: number
  uuid: string
  hid: string
}

/** Maximum number of items that one request changes. */
export const MAX_BULK_ITEMS = 1000

export type JsonObject = Record<string, unknown>

export interface RawInput {
  /** Object that holds the fields. */
  values: JsonObject
  /** Object that holds the privacy levels. */
  levels?: JsonObject
  /** Platform that the IDs belong to. */
  platform?: Platform | undefined
  /** Problems found earlier, reported together with the ones found here. */
  problems?: Problems
}

/** Parses a partial object. Throws all problems at once, or an error if it has no valid key. */
export function parsePatch<E extends Entity>(entity: E, input: RawInput): Patch<E> {
  const { values, problems } = parsePartial(entity, input)
  throwIfInvalid(problems)
  requireNonEmpty(values)
  return values
}

/** Parses a new entity: like `parsePatch`, but required keys must be present. */
export function parseDraft<E extends Entity>(entity: E, input: RawInput): Draft<E> {
  const { values, problems } = parsePartial(entity, input)
  for (const [key, field] of entity.entries)
    if (field.required && !(key in values) && !hasProblem(problems, key))
      problems[key] = [new Problem('required')]
  throwIfInvalid(problems)
  return values as Draft<E>
}

/** Checks for a problem of a key or of a part of its value. */
function hasProblem(problems: Problems, key: string): boolean {
  return Object.keys(problems).some((name) => name === key || name.startsWith(`${key}.`))
}

export function isEmptyPatch(patch: object): boolean {
  return Object.keys(patch).length === 0
}

export function requireNonEmpty(patch: object): void {
  if (isEmptyPatch(patch)) throw error('nothingToChange')
}

export function throwIfInvalid(problems: Problems): void {
  if (Object.keys(problems).length > 0) throw error('invalidBody', problems)
}

/** Returns the complete row of a draft. */
export function fillDefaults<E extends Entity>(entity: E, draft: Draft<E>): Row<E> {
  return { ...entity.defaults, ...draft } as Row<E>
}

/** Serializes the given values by key, as in every response, event and file. */
export function serializeFields(
  { entries }: Entity,
  values: JsonObject,
  serialized: JsonObject = {},
): JsonObject {
  for (const [key, field] of entries) {
    const value = values[key]
    if (value !== undefined) serialized[key] = serializeValue(field, value)
  }
  return serialized
}

export function serializeValue(field: Field, value: unknown): unknown {
  return value !== null && field.serialize ? field.serialize(value) : value
}

/** Returns the keys of a patch that differ from the row. */
export function diff<E extends Entity>(row: Row<E>, patch: Patch<E>): Patch<E> {
  const before = row as JsonObject
  const changed = Object.entries(patch).filter(([key, value]) => !isSame(before[key], value))
  return Object.fromEntries(changed) as Patch<E>
}

/** Returns the valid values of a partial object, and all problems. */
export function parsePartial<E extends Entity>(
  entity: E,
  { values, levels = {}, platform, problems = {} }: RawInput,
): { values: Patch<E>; problems: Problems } {
  const patch: JsonObject = {}
  const collected: Problems = { ...problems }
  for (const [key, field] of entity.entries) {
    const raw = Object.hasOwn(values, key) ? values[key] : undefined
    if (raw === undefined || field.readonly) continue
    const value = field.parse(raw, platform)
    if (value instanceof Problem)
      for (const [name, problem] of value.under(key))
        collected[name] = [...(collected[name] ?? []), problem]
    else patch[key] = value
  }
  for (const level of entity.levels) {
    const raw = Object.hasOwn(levels, level) ? levels[level] : undefined
    if (raw === undefined) continue
    const value = parseLevel(raw)
    if (value instanceof Problem) collected[level] = [value]
    else patch[level] = value
  }
  return { values: patch as Patch<E>, problems: collected }
}

export function parseLevel(value: unknown): Level | Problem {
  if (value === null || value === 'public') return 'public'
  return value === 'private' ? 'private' : new Problem('not_level')
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}
