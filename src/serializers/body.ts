import type { JsonObject } from '../model/entity'
import { error } from '../model/errors'
import type { Serialized } from '../model/privacy'

/** A body as it came: text that should be JSON. Reading it is the wire's work. */
export interface RawBody {
  readonly text: string
}

/** An answer as a wire made it. */
export type SerializedObject = JsonObject & Serialized

/** For wires alone: what they say may leave. */
export function markSerialized(value: JsonObject): SerializedObject {
  return value as SerializedObject
}

const encoder = new TextEncoder()

/** The same for what is JSON already. */
export function serializedJson(json: string): Uint8Array<ArrayBuffer> & Serialized {
  return encoder.encode(json) as Uint8Array<ArrayBuffer> & Serialized
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

/** A bare list of strings, such as references. */
export function parseStrings(body: RawBody): string[] {
  const value = parse(body)
  if (!isStrings(value)) throw error('badRequest', 'the body must be a JSON array of strings')
  return value
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
