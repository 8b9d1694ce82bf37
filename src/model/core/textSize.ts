import type { Entity, JsonObject } from './entity'
import type { Kind } from './field'

/** Kinds of fields whose text counts towards the quota of a system. */
const countedKinds: ReadonlySet<Kind> = new Set<Kind>(['text', 'url', 'options'])

/**
 * Lists the keys of a field table whose text counts towards the quota of a system. What the server
 * writes, such as the name of a deleted author, does not count, so that deletion never needs space.
 */
export function countedKeys({ entries }: Entity): string[] {
  return entries
    .filter(([, { kind, readonly }]) => !readonly && countedKinds.has(kind))
    .map(([key]) => key)
}

/** Counts the bytes of a row's text, as the database stores it. */
export function textBytes(entity: Entity, row: JsonObject): number {
  return countedKeys(entity).reduce((sum, key) => sum + storedBytes(row[key]), 0)
}

export function storedBytes(value: unknown): number {
  if (value === null || value === undefined) return 0
  return utf8.encode(typeof value === 'string' ? value : JSON.stringify(value)).byteLength
}

const utf8 = new TextEncoder()
