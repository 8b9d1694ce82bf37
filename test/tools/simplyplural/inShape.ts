import type { JsonObject } from '../../../src/model/core/entity'
import type { Document, Shape } from './facts'

/** Returns the documents as other sources have them. */
export function inShape(documents: Record<string, Document[]>, shape: Shape): JsonObject {
  const entries = Object.entries(documents)
  if (shape === 'api')
    return Object.fromEntries(
      entries.map(([name, rows]) => [
        name,
        rows.map(({ _id, ...content }) => ({ exists: true, id: _id, content })),
      ]),
    )
  if (shape !== 'cache') return documents
  const file: JsonObject = {}
  for (const [name, rows] of entries) {
    const byId = (some: readonly Document[]) =>
      Object.fromEntries(some.map(({ _id, ...row }) => [_id, row]))
    file[name.toLowerCase()] = byId(rows)
    if (name !== 'members' && name !== 'notes') continue
    // An older generation: some rows exist only there, and others are out of date.
    file[name.toLowerCase()] = byId(rows.slice(1))
    const [first, ...rest] = rows
    file[name.charAt(0).toUpperCase() + name.slice(1)] = byId([
      ...(first ? [first] : []),
      ...rest.map((row) => ({ ...row, ...(name === 'members' && { desc: 'an older text' }) })),
    ])
  }
  return file
}
