import { and, desc, eq, gt, lte, notInArray } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { linkCodes as linkCodesTable, loginCodes as loginCodesTable } from '../../db/tables'
import type { Db } from '../../db/types'
import { type Instant, MINUTE } from '../../model/core/time'
import { hashSecret } from './secrets'

const LIFETIME = 10 * MINUTE
const MAX_OPEN = 3

/** Builds the operations on codes of a system that are valid for one use within ten minutes. */
function oneTimeCodes(codes: typeof linkCodesTable | typeof loginCodesTable) {
  const { id, system_id } = codes
  const insert = query((db, values: Placeholders<'system' | 'hash' | 'expires'>) =>
    db
      .insert(codes)
      .values({ system_id: values.system, hash: values.hash, expires: values.expires }),
  )
  const removeExpired = query((db, { now }: Placeholders<'now'>) =>
    db.delete(codes).where(lte(codes.expires, now)),
  )
  const removeSurplus = query((db, { system }: Placeholders<'system'>) => {
    const isOfSystem = eq(system_id, system)
    const newest = db.select({ id }).from(codes).where(isOfSystem).orderBy(desc(id))
    return db.delete(codes).where(and(isOfSystem, notInArray(id, newest.limit(MAX_OPEN))))
  })
  const removeAll = query((db, { system }: Placeholders<'system'>) =>
    db.delete(codes).where(eq(system_id, system)),
  )
  const isOpen = ({ hash, now }: Placeholders<'hash' | 'now'>) =>
    and(eq(codes.hash, hash), gt(codes.expires, now))
  const find = query((db, values: Placeholders<'hash' | 'now'>) =>
    db.select({ system_id }).from(codes).where(isOpen(values)),
  )
  const consume = query((db, values: Placeholders<'hash' | 'now'>) =>
    db.delete(codes).where(isOpen(values)).returning({ system_id }),
  )

  return {
    /** Stores a code and returns its expiry. Deletes the oldest code if too many are open. */
    async store(tx: Db, systemId: number, code: string, now: Instant): Promise<Instant> {
      const expires = now + LIFETIME
      await removeExpired(tx).run({ now })
      await insert(tx).run({ system: systemId, hash: hashSecret(code), expires })
      await removeSurplus(tx).run({ system: systemId })
      return expires
    },
    /** Finds the system of a code without consuming the code. */
    find: async (db: Db, code: string, now: Instant) =>
      await find(db).get({ hash: hashSecret(code), now }),
    /** Finds and deletes a code in one statement, so that concurrent requests cannot both use it. */
    consume: async (tx: Db, code: string, now: Instant) =>
      await consume(tx).get({ hash: hashSecret(code), now }),
    async removeAll(tx: Db, systemId: number): Promise<void> {
      await removeAll(tx).run({ system: systemId })
    },
  }
}

/** Codes that link an account of another platform. */
export const linkCodes = oneTimeCodes(linkCodesTable)

/** Codes of the links that log a browser in. */
export const loginCodes = oneTimeCodes(loginCodesTable)
