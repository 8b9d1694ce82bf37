import {
  type Draft,
  type Entity,
  type JsonObject,
  type Patch,
  type Reading,
  readDraft,
  readPatch,
} from '../model/entity'
import { Problem } from '../model/field'
import type { Seen } from '../model/privacy'
import { formatInstant } from '../model/time'
import { isObject, readObject, type UnreadBody } from './json'

/** Spells what a viewer sees: `hid` is `id`, instants are ISO 8601, levels are nested. */
export function toV2<E extends Entity>(
  entity: E,
  seen: Seen<E>,
  extra: JsonObject = {},
): JsonObject {
  const json: JsonObject =
    seen.hid === undefined ? { ...extra } : { id: seen.hid, uuid: seen.uuid, ...extra }
  const values = seen as JsonObject
  for (const [key, { kind }] of Object.entries(entity.fields)) {
    const value = values[key]
    if (value !== undefined)
      json[key] = kind === 'timestamp' && typeof value === 'number' ? formatInstant(value) : value
  }
  if (entity.levels.length > 0) json.privacy = privacyToV2(entity, values)
  return json
}

export function patchFromV2<E extends Entity>(entity: E, body: UnreadBody): Patch<E> {
  return readPatch(entity, readingOf(entity, readObject(body)))
}

export function draftFromV2<E extends Entity>(entity: E, body: UnreadBody): Draft<E> {
  return readDraft(entity, readingOf(entity, readObject(body)))
}

/** The levels of a row or a patch as the nested object; null when none may be seen. */
export function privacyToV2(entity: Entity, values: JsonObject): JsonObject | null {
  const shown = entity.levels.filter((level) => values[level] !== undefined)
  if (shown.length === 0) return null
  return Object.fromEntries(shown.map((level) => [level, values[level]]))
}

function readingOf(entity: Entity, values: JsonObject): Reading {
  const levels = values.privacy ?? {}
  if (entity.levels.length === 0) return { values }
  if (isObject(levels)) return { values, levels }
  return { values, problems: { privacy: [new Problem('Must be an object of privacy levels.')] } }
}
