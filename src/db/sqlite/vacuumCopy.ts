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

/** Writes a whole copy to a place where nothing is: under another name until it is whole. */
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
 * By SQLite itself, which knows of a write-ahead log beside the file. It writes into an empty file
 * that is there: one that is for its owner alone before anything is in it.
 */
export function copy(source: Database, to: string): void {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'wx', 0o600))
  source.query('VACUUM INTO ?').run(to)
  fsync(to, 'r+')
}

/** Whoever copies, the service must be able to use it as it used what was there. */
export function copyOwnership(before: Stats | undefined, path: string, arriving: string): void {
  const isRoot = process.getuid?.() === 0
  const owner = before ?? (isRoot ? statOf(dirname(path)) : undefined)
  const own = statOf(arriving)
  if (owner && own && (owner.uid !== own.uid || owner.gid !== own.gid))
    try {
      chownSync(arriving, owner.uid, owner.gid)
    } catch {
      throw new StorageError(
        `${path} belongs to another user (${owner.uid}) or group (${owner.gid}): do this as that user, or as root.`,
      )
    }
  if (before) chmodSync(arriving, before.mode & 0o777)
}

/** What fails in the end must not hide how it went before. */
export function discard(path: string): void {
  for (const end of ['', ...WAL_SUFFIXES, '-shm'])
    if (existsSync(`${path}${end}`)) rmSync(`${path}${end}`, { force: true })
}
