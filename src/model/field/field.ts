import type { Problem } from '../check'
import type { Platform } from '../platform'

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
  readonly initial: T
  readonly nullable: boolean
  /** Must be given on create, and is never empty. */
  readonly required: boolean
  /** Shown, never written by a client. */
  readonly readonly: boolean
  /** How a column keeps it. */
  readonly stored: 'text' | 'integer' | 'flag' | 'json'
  /** What `spell` makes, in the words of JSON Schema. */
  readonly schema: JsonSchema
  /** Most characters, items or units, as the kind counts them. */
  readonly max?: number
  readonly choices?: readonly string[]
  /** The privacy level that hides the value from everyone but the owner. */
  readonly guard?: string
  /** When hidden, this key's value is shown in its place, or the field's own if that is empty. */
  readonly standIn?: string
  /** What everyone but the owner gets: nothing ("null"), or not even the key ("absent"). */
  readonly ownerOnly?: 'null' | 'absent'
  readonly example?: unknown
  /** Takes what a client gave. IDs are read as the platform's, and kept with its name. */
  read(value: unknown, platform?: Platform): T | Problem
  /** Gives a stored value, or null, as every wire, event and file has it. */
  spell(value: unknown): unknown
  /** Saves what can be saved of a file's value that `read` refuses. */
  mend(value: unknown): Mended
}

export type ValueOf<F> = F extends Field<infer T> ? T : never

export interface JsonSchema {
  readonly type: string
  readonly enum?: readonly string[]
  readonly [keyword: string]: unknown
}

export interface Mended {
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
export type Hidden = 'absent' | 'null' | 'empty list' | 'stand-in'

/** Null where everyone may see the value, always. */
export function hiddenAs({ ownerOnly, guard, standIn, initial }: Field): Hidden | null {
  if (ownerOnly !== undefined) return ownerOnly
  if (guard === undefined) return null
  if (standIn !== undefined) return 'stand-in'
  return Array.isArray(initial) ? 'empty list' : 'null'
}

export function isAddress({ kind }: Field): boolean {
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
  stored: Field['stored'],
  schema: JsonSchema,
  options: Options & { standIn?: string },
) {
  return {
    kind,
    doc: options.doc,
    nullable: false,
    required: false,
    readonly: options.readonly ?? false,
    stored,
    schema,
    ...(options.guard && { guard: options.guard }),
    ...(options.standIn && { standIn: options.standIn }),
    ...(options.ownerOnly && { ownerOnly: options.ownerOnly }),
    ...(options.example !== undefined && { example: options.example }),
    spell: (value: unknown) => value,
    mend: leave('cannot be stored'),
  }
}

export const optional = { initial: null, nullable: true }

export function isEmpty(value: unknown): value is null | '' {
  return value === null || value === ''
}

/** Mends nothing: the key stays as it is. */
export function leave(why: string): () => Mended {
  return () => ({ now: undefined, why })
}
