import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
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
): Promise<StoredPicture> {
  const checked = checkPicture(deps, bytes)
  if ('problem' in checked) return checked
  const { type } = checked
  const size = bytes.byteLength
  const limit = deps.quotas.pictures
  const used = (await usedBytes(tx).get({ system: systemId }))?.bytes ?? 0
  if (used + size > limit)
    return { problem: error('limitReached', `pictures of this system (${formatSize(limit)})`) }
  const name = randomBytes(PICTURE_NAME_BYTES).toString('base64url')
  await insertPicture(tx).run({
    ...{ name, system: systemId, type, size },
    created: deps.now(),
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, size).toString('base64'),
  })
  return { url: pictureUrl(deps.publicUrl, name, type) }
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
