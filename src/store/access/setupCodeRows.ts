import { and, eq, gt, lte, notExists } from 'drizzle-orm'
import { type Builder, type Placeholders, query } from '../../db/query'
import { setupCodes } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import { hashSecret } from './secrets'

export function insertSetupCode(tx: Db, hash: string, expires: Instant): MaybePromise<unknown> {
  return insert(tx).run({ hash, expires })
}

/** Finds a code that is valid: it has not expired, and the server has no system. */
export async function findSetupCode(
  db: Db,
  hash: string,
  now: Instant,
): Promise<{ expires: Instant } | null> {
  return await find(db).get({ hash, now })
}

export function deleteExpiredSetupCodes(tx: Db, now: Instant): MaybePromise<unknown> {
  return removeExpired(tx).run({ now })
}

/** Returns whether the code is valid, and deletes it. Needs the lock key `registration`. */
export async function consumeSetupCode(tx: Db, code: string, now: Instant): Promise<boolean> {
  return (await consume(tx).get({ hash: hashSecret(code), now })) !== null
}

/** Deletes all set-up codes, because a system was created. */
export async function removeSetupCodes(tx: Db): Promise<void> {
  await removeAll(tx).run({})
}

const insert = query((db, { hash, expires }: Placeholders<'hash' | 'expires'>) =>
  db.insert(setupCodes).values({ hash, expires }),
)

const isOpen = (db: Builder, { hash, now }: Placeholders<'hash' | 'now'>) =>
  and(
    eq(setupCodes.hash, hash),
    gt(setupCodes.expires, now),
    notExists(db.select({ id: visibleSystems.id }).from(visibleSystems)),
  )

const find = query((db, values: Placeholders<'hash' | 'now'>) =>
  db.select({ expires: setupCodes.expires }).from(setupCodes).where(isOpen(db, values)),
)

const consume = query((db, values: Placeholders<'hash' | 'now'>) =>
  db.delete(setupCodes).where(isOpen(db, values)).returning({ hash: setupCodes.hash }),
)

const removeExpired = query((db, { now }: Placeholders<'now'>) =>
  db.delete(setupCodes).where(lte(setupCodes.expires, now)),
)

const removeAll = query((db) => db.delete(setupCodes))
