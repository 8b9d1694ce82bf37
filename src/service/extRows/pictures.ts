import { randomBytes } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { pictures } from '../../db/tables'
import type { Db } from '../../db/types'
import { type DomainError, error } from '../../model/errors'
import {
  MAX_PICTURE_BYTES,
  PICTURE_NAME_BYTES,
  type PictureType,
  pictureTypeOf,
  pictureUrl,
} from '../../model/ext/picture'
import type { Deps } from '../deps'
import { formatSize } from './usage'

/** Address of a stored picture, or the reason why it was not stored. */
export type StoredPicture = { readonly url: string } | { readonly problem: DomainError }

type StoringDeps = Pick<Deps, 'now' | 'publicUrl' | 'quotas'>

/** Returns the type of a picture that the server would store, or the reason why it would not. */
export function checkPicture(
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  bytes: Uint8Array,
): { type: PictureType } | { problem: DomainError } {
  if (publicUrl === '') return { problem: noPublicUrl() }
  if (bytes.byteLength > MAX_PICTURE_BYTES) return { problem: error('tooLarge') }
  const type = pictureTypeOf(bytes)
  return type ? { type } : { problem: error('badRequest', 'not a PNG, JPEG, WebP or GIF') }
}

export function noPublicUrl(): DomainError {
  return error('badRequest', 'the server has no PUBLIC_URL')
}

/**
 * Stores a picture of a system in a transaction that has locked the system, within its limit. The
 * cleanup deletes it if no URL of the system names it within a day, so a failed import leaves none.
 */
export async function storePicture(
  deps: StoringDeps,
  tx: Db,
  systemId: number,
  bytes: Uint8Array,
  name = newPictureName(),
): Promise<StoredPicture> {
  const checked = checkPicture(deps, bytes)
  if ('problem' in checked) return checked
  const { type } = checked
  const size = bytes.byteLength
  const limit = deps.quotas.pictures
  const used = await usedPictureBytes(tx, systemId)
  if (used + size > limit)
    return { problem: error('limitReached', `pictures of this system (${formatSize(limit)})`) }
  await insertPicture(tx).run({
    ...{ name, system: systemId, type, size },
    created: deps.now(),
    bytes: toBase64(bytes),
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

/** Finds a picture of a system with the same bytes. */
export async function findSamePicture(
  db: Db,
  systemId: number,
  bytes: Uint8Array,
): Promise<NamedPicture | null> {
  const found = same(db).get({ system: systemId, size: bytes.byteLength, bytes: toBase64(bytes) })
  return (await found) ?? null
}

export async function isStored(db: Db, systemId: number, name: string): Promise<boolean> {
  return Boolean(await stored(db).get({ system: systemId, name }))
}

export async function deleteStored(tx: Db, systemId: number, name: string): Promise<void> {
  await remove(tx).run({ system: systemId, name })
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
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

const same = query((db, values: Placeholders<'system' | 'size' | 'bytes'>) =>
  db
    .select({ name: pictures.name, type: pictures.type })
    .from(pictures)
    .where(
      and(
        eq(pictures.system_id, values.system),
        eq(pictures.size, values.size),
        eq(pictures.bytes, values.bytes),
      ),
    )
    .orderBy(pictures.name)
    .limit(1),
)

const isOne = ({ system, name }: Placeholders<'system' | 'name'>) =>
  and(eq(pictures.system_id, system), eq(pictures.name, name))

const stored = query((db, values: Placeholders<'system' | 'name'>) =>
  db.select({ name: pictures.name }).from(pictures).where(isOne(values)),
)

const remove = query((db, values: Placeholders<'system' | 'name'>) =>
  db.delete(pictures).where(isOne(values)),
)
