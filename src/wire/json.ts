import type { JsonObject } from '../model/entity'
import { error } from '../model/errors'

/** A body as it came: text that should be JSON. Reading it is the wire's work. */
export interface UnreadBody {
  readonly text: string
}

export function parseObject(body: UnreadBody): JsonObject {
  const value = parse(body)
  if (!isObject(value)) throw error('badRequest', 'the body must be a JSON object')
  return value
}

/** A bare list of strings, such as references. */
export function parseStrings(body: UnreadBody): string[] {
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

function parse(body: UnreadBody): unknown {
  try {
    return JSON.parse(body.text)
  } catch {
    throw error('badRequest', 'the body is not valid JSON')
  }
}
