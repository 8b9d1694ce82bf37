import type { Platform } from '../platform'
import type { Reason } from '../reasonMessages'
import type { Problem } from '../validation'

export type Kind =
  | 'text'
  | 'color'
  | 'url'
  | 'date'
  | 'timeOfDay'
  | 'timestamp'
  | 'flag'
  | 'count'
  | 'choice'
  | 'timezone'
  | 'texts'
  | 'proxyTags'
  | 'options'
  | 'customValues'
  | 'reference'
  | 'references'
  | 'snowflake'
  | 'snowflakes'

/**
 * One line of a field table. Columns, validation, privacy, JSON and the API page derive from it.
 */
export interface Field<T = unknown> {
  readonly kind: Kind
  readonly doc: string
  /** Value of a new row whose draft does not set the key. */
  readonly defaultValue: T
  readonly nullable: boolean
  /** Required on create, and never empty. */
  readonly required: boolean
  /** Readable, but never written by a client. */
  readonly readonly: boolean
  readonly columnType: 'text' | 'integer' | 'flag' | 'json'
  /** JSON Schema of the serialized value. */
  readonly schema: JsonSchema
  /** Maximum number of characters or items, depending on the kind. */
  readonly max?: number
  readonly choices?: readonly string[]
  /** Privacy level that hides the value from all callers except the owner. */
  readonly guard?: string
  /**
   * Key whose value is shown instead while this field is hidden; if it is empty, the field is
   * shown.
   */
  readonly fallback?: string
  /** Replacement for all callers except the owner: null, or no key at all ("absent"). */
  readonly ownerOnly?: 'null' | 'absent'
  /** Key of the row with the part of the value that other callers may see. */
  readonly publicPart?: string
  /** Key of the row with the part of the value that a friend may see. */
  readonly friendPart?: string
  /** True if objects for friends lack the key of a field for the owner only. */
  readonly isAbsentForFriends?: true
  /** True if a friend who sees the front, but no members, sees the value of a fronter. */
  readonly isShownInFront?: true
  readonly example?: unknown
  /** Parses a client's value. IDs belong to the platform and are stored with its name. */
  parse(value: unknown, platform?: Platform): T | Problem
  /** Converts a stored value to JSON for every response, event and file; absent if both are equal. */
  serialize?(value: unknown): unknown
  /** Recovers as much as possible of a file's value that `read` rejects. */
  repair(value: unknown): Repaired
}

export type ValueOf<F> = F extends Field<infer T> ? T : never

export interface JsonSchema {
  readonly type: string
  readonly enum?: readonly string[]
  readonly [keyword: string]: unknown
}

export interface Repaired {
  /** Repaired value; undefined leaves the key unchanged. */
  now: unknown
  /** Reason for the import report; absent if nothing is lost. */
  why?: Reason
  /** Original value in the import report, if that is not the complete value. */
  was?: unknown
  /** Complete text that was too long, to be archived. */
  fullText?: string
}

export function isUrl({ kind }: Field): boolean {
  return kind === 'url'
}

export interface Options {
  doc: string
  guard?: string
  readonly?: boolean
  ownerOnly?: 'null' | 'absent'
  publicPart?: string
  friendPart?: string
  isAbsentForFriends?: true
  isShownInFront?: true
  example?: unknown
}

/** Returns the properties that most fields share; each kind overrides some. */
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
    ...(options.publicPart && { publicPart: options.publicPart }),
    ...(options.friendPart && { friendPart: options.friendPart }),
    ...(options.isAbsentForFriends && { isAbsentForFriends: options.isAbsentForFriends }),
    ...(options.isShownInFront && { isShownInFront: options.isShownInFront }),
    ...(options.example !== undefined && { example: options.example }),
    repair: discardWith('not_storable'),
  }
}

export const optional = { defaultValue: null, nullable: true }

/** Returns a repair that leaves the key unchanged and reports the reason. */
export function discardWith(why: Reason): () => Repaired {
  return () => ({ now: undefined, why })
}
