import type { JsonObject } from '../model/core/entity'
import { error } from '../model/core/errors'
import type { Serialized, SerializedJson } from '../model/core/privacy'
import { isObject } from '../model/core/validation'

/** Unparsed body: text that should be JSON, to be parsed by a serializer. */
export interface RawBody {
  readonly text: string
}

/** JSON object that a serializer created. */
export type SerializedObject = JsonObject & Serialized

/** Marks an object as serialized; for serializers only. */
export function markSerialized(value: JsonObject): SerializedObject {
  return value as SerializedObject
}

/** Marks JSON text as serialized; for serializers only. */
export function serializedJson(json: string): SerializedJson {
  return json as SerializedJson
}

export function parseObject(body: RawBody): JsonObject {
  const value = parse(body)
  if (!isObject(value)) throw error('badRequest', 'the body must be a JSON object')
  return value
}

export function parseList(body: RawBody): unknown[] {
  const value = parse(body)
  if (!Array.isArray(value)) throw error('badRequest', 'the body must be a JSON array')
  return value
}

/** Parses a JSON array of strings, such as references. */
export function parseStrings(body: RawBody): string[] {
  const value = parse(body)
  if (!isStrings(value)) throw error('badRequest', 'the body must be a JSON array of strings')
  return value
}

export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function parse(body: RawBody): unknown {
  try {
    return JSON.parse(body.text)
  } catch {
    throw error('badRequest', 'the body is not valid JSON')
  }
}
