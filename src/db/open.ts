import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import type { RenderJson } from '../model/renderedJson'
import { isServerAddress } from './postgres/address'
import type { ServerOptions } from './postgres/storage'
import type { SchemaUse } from './schema'
import { openSqlite, pathOf } from './sqlite/storage'
import type { Durability, Storage } from './storage'

export type { SchemaUse } from './schema'
export type { Storage } from './storage'
export type { ServerOptions }
export { isServerAddress }

/** Opens the database at an address with the engine that the address names. */
export function openStorage(
  url: string,
  durability: Durability = 'full',
  busyLimit?: number,
  renderJson?: RenderJson,
  use: SchemaUse = 'upgrade',
  server: ServerOptions = {},
): Storage {
  if (!isServerAddress(url)) return openSqlite(url, durability, busyLimit, renderJson, use)
  // Loaded only if needed, because it would slow down the start and take memory.
  const { openServer }: typeof import('./postgres/storage') = require('./postgres/storage')
  return openServer(url, durability, renderJson, server, use)
}

/** Folder for temporary files: that of the database file, or the system's for PostgreSQL. */
export function temporaryFolderOf(url: string): string {
  return isServerAddress(url) ? tmpdir() : dirname(pathOf(url))
}
