import {
  diff,
  type Entity,
  type JsonObject,
  type Patch,
  parsePartial,
  type Row,
} from '../../model/core/entity'
import { Problem } from '../../model/core/validation'
import { type ApiError, problemMessage } from '../api/client'

/**
 * Values typed into a form and the values they started from. Privacy levels are keys beside the
 * fields.
 */
export interface FormDraft {
  readonly uuid: string
  /** Values of the server that the user has been shown. */
  readonly base: JsonObject
  readonly values: JsonObject
}

interface EditableEntity {
  readonly uuid: string
  readonly privacy: Readonly<Record<string, unknown>> | null
}

/** Returns the editable values of an entity: fields and privacy levels by key. */
export function valuesOf({ entries, levels }: Entity, row: EditableEntity): JsonObject {
  const values: JsonObject = { ...row, ...row.privacy }
  const keys = [...entries.flatMap(([key, field]) => (field.readonly ? [] : [key])), ...levels]
  return Object.fromEntries(keys.map((key) => [key, values[key]]))
}

export function beginDraft(entity: Entity, row: EditableEntity): FormDraft {
  const base = valuesOf(entity, row)
  return { uuid: row.uuid, base, values: base }
}

/** Adds the keys that a draft does not have, such as that of a field which was added meanwhile. */
export function completeDraft(entity: Entity, draft: FormDraft, row: EditableEntity): FormDraft {
  const now = valuesOf(entity, row)
  return { ...draft, base: { ...now, ...draft.base }, values: { ...now, ...draft.values } }
}

export function setValue(draft: FormDraft, key: string, value: unknown): FormDraft {
  return { ...draft, values: { ...draft.values, [key]: value } }
}

/** Describes the first problem per key, found by the field tables. */
export function problemsOf(
  entity: Entity,
  { values }: Pick<FormDraft, 'values'>,
): Record<string, string> {
  return describeProblems(parsePartial(entity, { values, levels: values }).problems)
}

/** Describes the first problem per key, from the server or from the field tables. */
export function describeProblems(problems: ApiError['problems']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problems).map(([key, [first]]) => [
      // The extension API names the fields of v2 by their path.
      key.replace(/^member\./, ''),
      first ? problemMessage(first) : '',
    ]),
  )
}

/**
 * Returns the keys whose parsed values differ. Mere whitespace or an empty proxy tag is no change.
 */
export function changedKeys(entity: Entity, { base, values }: FormDraft): string[] {
  const read: JsonObject = {}
  // A field may have been deleted meanwhile.
  for (const key of Object.keys(base))
    if (key in entity.defaults) read[key] = parseValue(entity, key, values[key])
  return Object.keys(diff(base as Row<Entity>, read as Patch<Entity>))
}

function parseValue({ fields }: Entity, key: string, value: unknown): unknown {
  const read = fields[key]?.parse(value)
  return read === undefined || read instanceof Problem ? value : read
}

/** Builds the request body: the changed keys, with privacy levels in their own object. */
export function patchOf(entity: Entity, draft: FormDraft): JsonObject {
  const changed = changedKeys(entity, draft)
  const pick = (keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, parseValue(entity, key, draft.values[key])]))
  const levels = changed.filter((key) => entity.levels.includes(key))
  const fields = changed.filter((key) => !entity.levels.includes(key))
  return { ...pick(fields), ...(levels.length > 0 && { privacy: pick(levels) }) }
}

/** Returns what a request sets: typed text without spaces around it, and null for none. */
export function trimTexts(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? (value.includes('\n') ? value : value.trim()) || null : value,
    ]),
  )
}

/** Returns the values of a body that differ from those of an earlier one. */
export function changesOf(before: JsonObject, body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([key, value]) => !isSame(value, before[key])),
  )
}

/** Returns the keys that another client changed meanwhile to a value other than the typed one. */
export function changedElsewhere(entity: Entity, draft: FormDraft, row: EditableEntity): string[] {
  const theirs = valuesOf(entity, row)
  return Object.keys(theirs).filter(
    (key) =>
      !isSame(theirs[key], draft.base[key]) &&
      !isSame(theirs[key], parseValue(entity, key, draft.values[key])),
  )
}

/** Resolves a conflict: `theirs` takes the server's value, `mine` stays as a change to it. */
export function resolveConflict(
  entity: Entity,
  draft: FormDraft,
  row: EditableEntity,
  key: string,
  choice: 'theirs' | 'mine',
): FormDraft {
  const theirs = valuesOf(entity, row)[key]
  const { uuid, base, values } = draft
  return {
    uuid,
    base: { ...base, [key]: theirs },
    values: choice === 'theirs' ? { ...values, [key]: theirs } : values,
  }
}

function isSame(value: unknown, other: unknown): boolean {
  return value === other || JSON.stringify(value) === JSON.stringify(other)
}
