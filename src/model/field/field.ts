import type { Platform } from '../platform'
import type { Problem } from '../validation'

/** What kind of thing a field holds. */
export type Kind =
  | 'text'
  | 'color'
  | 'url'
  | 'date'
  | 'timestamp'
  | 'flag'
  | 'count'
  | 'choice'
  | 'timezone'
  | 'texts'
  | 'proxyTags'
  | 'reference'
  | 'snowflake'
  | 'snowflakes'

/** One line of a field table: everything the house knows about one key. Whoever must know asks it. */
export interface Field<T = unknown> {
  readonly kind: Kind
  readonly doc: string
  /** The value of a new row that does not give one. */
  readonly defaultValue: T
  readonly nullable: boolean
  /** Must be given on create, and is never empty. */
  readonly required: boolean
  /** Shown, never written by a client. */
  readonly readonly: boolean
  /** How a column keeps it. */
  readonly columnType: 'text' | 'integer' | 'flag' | 'json'
  /** What `spell` makes, in the words of JSON Schema. */
  readonly schema: JsonSchema
  /** Most characters, items or units, as the kind counts them. */
  readonly max?: number
  readonly choices?: readonly string[]
  /** The privacy level that hides the value from everyone but the owner. */
  readonly guard?: string
  /** When hidden, this key's value is shown in its place, or the field's own if that is empty. */
  readonly fallback?: string
  /** What everyone but the owner gets: nothing ("null"), or not even the key ("absent"). */
  readonly ownerOnly?: 'null' | 'absent'
  readonly example?: unknown
  /** Takes what a client gave. IDs are read as the platform's, and kept with its name. */
  read(value: unknown, platform?: Platform): T | Problem
  /** Gives a stored value, or null, as every wire, event and file has it. */
  serialize(value: unknown): unknown
  /** Saves what can be saved of a file's value that `read` refuses. */
  repair(value: unknown): Repaired
}

export type ValueOf<F> = F extends Field<infer T> ? T : never

export interface JsonSchema {
  readonly type: string
  readonly enum?: readonly string[]
  readonly [keyword: string]: unknown
}

export interface Repaired {
  /** Undefined leaves the key as it is. */
  now: unknown
  /** What whoever brings the file is told; nothing where nothing is lost. */
  why?: string
  /** What is shown as the value that was there, where that is not the whole of it. */
  was?: unknown
  /** A text that was longer than can be kept, to be kept aside. */
  whole?: string
}

/** What everyone but the owner gets in place of a value that they may not see. */
export type Redaction = 'absent' | 'null' | 'empty list' | 'stand-in'

/** Null where everyone may see the value, always. */
export function redactionOf({ ownerOnly, guard, fallback, defaultValue }: Field): Redaction | null {
  if (ownerOnly !== undefined) return ownerOnly
  if (guard === undefined) return null
  if (fallback !== undefined) return 'stand-in'
  return Array.isArray(defaultValue) ? 'empty list' : 'null'
}

export function isUrl({ kind }: Field): boolean {
  return kind === 'url'
}

export interface Options {
  doc: string
  guard?: string
  readonly?: boolean
  ownerOnly?: 'null' | 'absent'
  example?: unknown
}

/** What most fields have in common; the kinds say what is special about them. */
export function base(
  kind: Kind,
  columnType: Field['columnType'],
  schema: JsonSchema,
  options: Options & { fallback?: string },
) {
  return {
    kind,
    doc: options.doc,
    nullable: false,
    required: false,
    readonly: options.readonly ?? false,
    columnType,
    schema,
    ...(options.guard && { guard: options.guard }),
    ...(options.fallback && { fallback: options.fallback }),
    ...(options.ownerOnly && { ownerOnly: options.ownerOnly }),
    ...(options.example !== undefined && { example: options.example }),
    serialize: (value: unknown) => value,
    repair: discardWith('cannot be stored'),
  }
}

export const optional = { defaultValue: null, nullable: true }

export function isEmpty(value: unknown): value is null | '' {
  return value === null || value === ''
}

/** Mends nothing: the key stays as it is. */
export function discardWith(why: string): () => Repaired {
  return () => ({ now: undefined, why })
}
