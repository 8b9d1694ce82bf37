/** Limits of a JSON text, checked before it is parsed. */
export interface JsonLimits {
  /** Keys in one object. */
  objectKeys: number
  /** Keys in all objects together. */
  keys: number
  /** Depth of nested objects and arrays. */
  nesting?: number
  /** Approximate number of values: commas, objects and arrays. */
  values?: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Returns the first limit that a JSON text exceeds, or null. One pass over the bytes: parsing an
 * object with very many keys takes far longer and much more memory than its size suggests.
 */
export function findExcess(
  json: Uint8Array,
  { objectKeys, keys, nesting = Infinity, values = Infinity }: JsonLimits,
): keyof JsonLimits | null {
  /** Keys counted so far in the objects around the current one. */
  const outer: number[] = []
  let keysHere = 0
  let allKeys = 0
  let allValues = 0
  // A byte of a multi-byte UTF-8 character never equals one of these ASCII characters.
  for (let index = 0; index < json.length; index++) {
    const code = json[index]
    if (code === QUOTE) index = findStringEnd(json, index + 1)
    else if (code === COLON) {
      if (++keysHere > objectKeys) return 'objectKeys'
      if (++allKeys > keys) return 'keys'
    } else if (code === COMMA) {
      if (++allValues > values) return 'values'
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      outer.push(keysHere)
      keysHere = 0
      if (outer.length > nesting) return 'nesting'
      if (++allValues > values) return 'values'
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) keysHere = outer.pop() ?? 0
  }
  return null
}

/** Returns the index of the quote that closes a string. */
function findStringEnd(json: Uint8Array, from: number): number {
  let index = from
  for (; index < json.length && json[index] !== QUOTE; index++)
    if (json[index] === BACKSLASH) index++
  return index
}
