import type { Database } from 'bun:sqlite'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '../types'
import { fsync, fsyncDir, partialName, removePartials, statOf, WAL_SUFFIXES } from './tempFiles'

/** Writes a complete copy to a new file, under a temporary name until it is complete. */
export function copyConsistent(source: Database, to: string, owner?: Stats): void {
  const partial = partialName(to)
  try {
    if (statOf(to)) throw new StorageError(`${to} exists already.`)
    removePartials(dirname(to))
    copy(source, partial)
    if (owner) copyOwnership(owner, to, partial)
    renameSync(partial, to)
    fsyncDir(dirname(to))
  } finally {
    discard(partial)
  }
}

/**
 * Copies with SQLite, which includes the write-ahead log. The empty file is created first, so that
 * only its owner can read it from the start.
 */
export function copy(source: Database, to: string): void {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'wx', 0o600))
  source.query('VACUUM INTO ?').run(to)
  fsync(to, 'r+')
}

/** Applies owner and mode of the replaced file, so that the service can use the new one. */
export function copyOwnership(before: Stats | undefined, path: string, arriving: string): void {
  const isRoot = process.getuid?.() === 0
  const owner = before ?? (isRoot ? statOf(dirname(path)) : undefined)
  const current = statOf(arriving)
  if (owner && current && (owner.uid !== current.uid || owner.gid !== current.gid))
    try {
      chownSync(arriving, owner.uid, owner.gid)
    } catch {
      throw new StorageError(
        `${path} belongs to another user (${owner.uid}) or group (${owner.gid}): do this as that user, or as root.`,
      )
    }
  if (before) chmodSync(arriving, before.mode & 0o777)
}

/**
 * Deletes a temporary file with its logs, if they exist, so that cleaning up does not hide an
 * earlier error.
 */
export function discard(path: string): void {
  for (const end of ['', ...WAL_SUFFIXES, '-shm'])
    if (existsSync(`${path}${end}`)) rmSync(`${path}${end}`, { force: true })
}
