import { randomBytes } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { pictures } from '../../db/tables'
import type { Db } from '../../db/types'
import { type DomainError, error } from '../../model/core/errors'
import {
  PICTURE_NAME_BYTES,
  type PictureType,
  pictureUrl,
  type StrippedPicture,
} from '../../model/pictures/picture'
import type { StoreDeps } from '../core/storeDeps'
import { formatSize } from '../core/usage'
import { findUsedPictures } from './pictureUse'

/** Address of a stored picture, or the reason why it was not stored. */
export type StoredPicture = { readonly url: string } | { readonly problem: DomainError }

/**
 * Stores a picture of a system in a transaction that has locked the system, within its limit. The
 * cleanup deletes it if no URL of the system names it within a day, so a failed import leaves none.
 */
export async function storePicture(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  { type, bytes }: StrippedPicture,
  name = newPictureName(),
): Promise<StoredPicture> {
  const size = bytes.byteLength
  const limit = deps.quotas.pictures
  const used = await usedPictureBytes(tx, systemId)
  if (used + size > limit)
    return { problem: error('limitReached', `pictures of this system (${formatSize(limit)})`) }
  await insertPicture(tx).run({
    ...{ name, system: systemId, type, size },
    created: deps.now(),
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, size).toString('base64'),
  })
  return { url: pictureUrl(deps.publicUrl, name, type) }
}

export function newPictureName(): string {
  return randomBytes(PICTURE_NAME_BYTES).toString('base64url')
}

/** Returns how much of its limit a system uses. */
export async function usedPictureBytes(db: Db, systemId: number): Promise<number> {
  return (await usedBytes(db).get({ system: systemId }))?.bytes ?? 0
}

export interface NamedPicture {
  readonly name: string
  readonly type: PictureType
}

/**
 * Finds the pictures of a system that have one of these bytes in base64, and returns them by it. Only
 * those of the same size are read, one at a time.
 */
export async function findSamePictures(
  db: Db,
  systemId: number,
  wanted: ReadonlySet<string>,
  onRead: () => Promise<void>,
): Promise<Map<string, NamedPicture>> {
  const picturesByBytes = new Map<string, NamedPicture>()
  const lengths = new Set(Array.from(wanted, ({ length }) => length))
  for (const { name, type, size } of await sizes(db).all({ system: systemId })) {
    // Base64 has four characters for each three bytes, padded.
    if (!lengths.has(4 * Math.ceil(size / 3))) continue
    const row = await bytesOf(db).get({ system: systemId, name })
    if (row && wanted.has(row.bytes)) picturesByBytes.set(row.bytes, { name, type })
    await onRead()
  }
  return picturesByBytes
}

export async function isStored(db: Db, systemId: number, name: string): Promise<boolean> {
  return Boolean(await stored(db).get({ system: systemId, name }))
}

export async function deleteStored(tx: Db, systemId: number, name: string): Promise<void> {
  await remove(tx).run({ system: systemId, name })
}

/**
 * Makes a change by which its owner takes pictures away, and deletes those that no URL of the system
 * names after it.
 */
export async function deletePicturesUnnamedBy(
  tx: Db,
  systemId: number,
  change: () => Promise<unknown>,
): Promise<void> {
  if (!(await anyStored(tx).get({ system: systemId }))) return void (await change())
  const before = await findUsedPictures(tx, systemId)
  await change()
  for (const name of before.difference(await findUsedPictures(tx, systemId)))
    await deleteStored(tx, systemId, name)
}

const usedBytes = query((db, { system }: Placeholders<'system'>, { number }) =>
  db
    .select({
      bytes: sql<number>`${number(sql`coalesce(sum(${pictures.size}), 0)`)}`.as('bytes'),
    })
    .from(pictures)
    .where(eq(pictures.system_id, system)),
)

const insertPicture = query(
  (db, values: Placeholders<'name' | 'system' | 'type' | 'size' | 'created' | 'bytes'>) => {
    const { name, system, type, size, created, bytes } = values
    return db.insert(pictures).values({ name, system_id: system, type, size, created, bytes })
  },
)

const sizes = query((db, { system }: Placeholders<'system'>) => {
  const { name, type, size, system_id } = pictures
  return db.select({ name, type, size }).from(pictures).where(eq(system_id, system)).orderBy(name)
})

const isOne = ({ system, name }: Placeholders<'system' | 'name'>) =>
  and(eq(pictures.system_id, system), eq(pictures.name, name))

const bytesOf = query((db, values: Placeholders<'system' | 'name'>) =>
  db.select({ bytes: pictures.bytes }).from(pictures).where(isOne(values)),
)

const anyStored = query((db, { system }: Placeholders<'system'>) =>
  db.select({ name: pictures.name }).from(pictures).where(eq(pictures.system_id, system)).limit(1),
)

const stored = query((db, values: Placeholders<'system' | 'name'>) =>
  db.select({ name: pictures.name }).from(pictures).where(isOne(values)),
)

const remove = query((db, values: Placeholders<'system' | 'name'>) =>
  db.delete(pictures).where(isOne(values)),
)
