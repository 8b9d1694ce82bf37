import type { RenderFace } from '../model/face'
import { openFile } from './file'
import { isServerAddress } from './postgres/address'
import { openServer, type ServerOptions } from './postgres/storage'
import type { Durability, Storage } from './storage'

export type { Storage } from './storage'
export { isServerAddress, type ServerOptions }

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
  return isServerAddress(url)
    ? openServer(url, durability, render, server)
    : openFile(url, durability, busyLimit, render, isCopied)
}
