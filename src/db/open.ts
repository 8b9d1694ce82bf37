import type { RenderFace } from '../model/face'
import { openFile } from './file'
import type { Durability, Storage } from './storage'

export type { Storage } from './storage'

/** Opens the database of an address, and brings it to this program's tables. */
export function openStorage(
  url: string,
  durability: Durability = 'full',
  busyLimit?: number,
  render?: RenderFace,
  /** Whether a file is copied beside before it is upgraded. */
  isCopied = true,
): Storage {
  return openFile(url, durability, busyLimit, render, isCopied)
}
