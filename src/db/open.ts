import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import type { RenderFace } from '../model/face'
import { openFile, pathOf } from './file'
import { isServerAddress } from './postgres/address'
import type { ServerOptions } from './postgres/storage'
import type { Durability, Storage } from './storage'

export type { Storage } from './storage'
export type { ServerOptions }
export { isServerAddress }

/** Opens the database of an address, and brings it to this program's tables. */
export function openStorage(
  url: string,
  durability: Durability = 'full',
  busyLimit?: number,
  render?: RenderFace,
  /** Whether a file is copied beside before it is upgraded. */
  isCopied = true,
  server: ServerOptions = {},
): Storage {
  if (!isServerAddress(url)) return openFile(url, durability, busyLimit, render, isCopied)
  // Not before it is needed: most never do, and would start later and take more memory.
  const { openServer }: typeof import('./postgres/storage') = require('./postgres/storage')
  return openServer(url, durability, render, server)
}

/** Folder for temporary files: that of the database file, or the machine's where there is none. */
export function temporaryFolderOf(url: string): string {
  return isServerAddress(url) ? tmpdir() : dirname(pathOf(url))
}
