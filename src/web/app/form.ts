import {
  diff,
  type Entity,
  type JsonObject,
  type Patch,
  parsePartial,
  type Row,
} from '../../model/entity'
import { Problem } from '../../model/validation'

/** What is typed into a form, and what was there before. Levels stand beside the fields, by key. */
export interface FormDraft {
  readonly uuid: string
  /** What the server had, as far as it was taken note of. */
  readonly base: JsonObject
  readonly values: JsonObject
}

interface Own {
  readonly uuid: string
  readonly privacy: Readonly<Record<string, unknown>> | null
}

/** The values of one of ours that can be changed: fields and levels, by key. */
export function valuesOf({ entries, levels }: Entity, own: Own): JsonObject {
  const given: JsonObject = { ...own, ...own.privacy }
  const keys = [...entries.flatMap(([key, field]) => (field.readonly ? [] : [key])), ...levels]
  return Object.fromEntries(keys.map((key) => [key, given[key]]))
}

export function beginDraft(entity: Entity, own: Own): FormDraft {
  const base = valuesOf(entity, own)
  return { uuid: own.uuid, base, values: base }
}

export function setValue(draft: FormDraft, key: string, value: unknown): FormDraft {
  return { ...draft, values: { ...draft.values, [key]: value } }
}

/** What is wrong with what was typed, in the words of the tables. */
export function problemsOf(entity: Entity, { values }: FormDraft): Record<string, string> {
  const { problems } = parsePartial(entity, { values, levels: values })
  return Object.fromEntries(
    Object.entries(problems).map(([key, [first]]) => [key, first?.message ?? '']),
  )
}

/** The keys that were changed here. Spaces around nothing, or a tag without halves, are no change. */
export function changedKeys(entity: Entity, { base, values }: FormDraft): string[] {
  const read: JsonObject = {}
  for (const key of Object.keys(base)) read[key] = readValue(entity, key, values[key])
  return Object.keys(diff(base as Row<Entity>, read as Patch<Entity>))
}

function readValue({ fields }: Entity, key: string, value: unknown): unknown {
  const read = fields[key]?.read(value)
  return read === undefined || read instanceof Problem ? value : read
}

/** What is sent: the changed keys, with the levels on their own. */
export function patchOf(entity: Entity, draft: FormDraft): JsonObject {
  const changed = changedKeys(entity, draft)
  const some = (keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, readValue(entity, key, draft.values[key])]))
  const levels = changed.filter((key) => entity.levels.includes(key))
  const fields = changed.filter((key) => !entity.levels.includes(key))
  return { ...some(fields), ...(levels.length > 0 && { privacy: some(levels) }) }
}

/** What somebody else has changed meanwhile and is not the same here: to be decided, key by key. */
export function changedElsewhere(entity: Entity, draft: FormDraft, own: Own): string[] {
  const theirs = valuesOf(entity, own)
  return Object.keys(theirs).filter(
    (key) =>
      !isSame(theirs[key], draft.base[key]) &&
      !isSame(theirs[key], readValue(entity, key, draft.values[key])),
  )
}

/** Theirs is taken over; mine stays as a change to theirs. */
export function decide(
  entity: Entity,
  draft: FormDraft,
  own: Own,
  key: string,
  whose: 'theirs' | 'mine',
): FormDraft {
  const theirs = valuesOf(entity, own)[key]
  const { uuid, base, values } = draft
  return {
    uuid,
    base: { ...base, [key]: theirs },
    values: whose === 'theirs' ? { ...values, [key]: theirs } : values,
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
