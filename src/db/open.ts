import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { isServerAddress } from './postgres/address'
import { openServer } from './postgres/storage'
import { openSqlite, pathOf } from './sqlite/storage'
import type { OpenOptions, Storage } from './storage'

export type { SchemaUse } from './schema'
export type { OpenOptions, ServerOptions, Storage } from './storage'
export { isServerAddress }

/** Opens the database at an address with the engine that the address names. */
export function openStorage(url: string, options: OpenOptions = {}): Storage {
  return isServerAddress(url) ? openServer(url, options) : openSqlite(url, options)
}

/** Folder for temporary files: that of the database file, or the system's for PostgreSQL. */
export function temporaryFolderOf(url: string): string {
  return isServerAddress(url) ? tmpdir() : dirname(pathOf(url))
}
