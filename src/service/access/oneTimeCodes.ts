import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { type Instant, MINUTE } from '../../model/time'
import { hashSecret } from './secrets'

const LIFETIME = 10 * MINUTE
const MOST_OPEN = 3

/** Codes that are each good for one use, within ten minutes, for the system they were made for. */
export function oneTimeCodes(table: 'link_codes' | 'login_codes') {
  const insert = statement<'system' | 'hash' | 'expires'>(
    `insert into ${table} (system_id, hash, expires) values (:system, :hash, :expires)`,
  )
  const removeExpired = statement<'now'>(`delete from ${table} where expires <= :now`)
  const removeSurplus = statement<'system'>(
    `delete from ${table} where system_id = :system and id not in (
       select id from ${table} where system_id = :system order by id desc limit ${MOST_OPEN}
     )`,
  )
  const removeAll = statement<'system'>(`delete from ${table} where system_id = :system`)
  const open = 'hash = :hash and expires > :now'
  const find = statement<'hash' | 'now', { system_id: number }>(
    `select system_id from ${table} where ${open}`,
  )
  const take = statement<'hash' | 'now', { system_id: number }>(
    `delete from ${table} where ${open} returning system_id`,
  )

  return {
    /** Keeps a code, and gives until when. With too many open ones the oldest goes. */
    async keep(tx: Db, systemId: number, code: string, now: Instant): Promise<Instant> {
      const expires = now + LIFETIME
      await removeExpired(tx).run({ now })
      await insert(tx).run({ system: systemId, hash: hashSecret(code), expires })
      await removeSurplus(tx).run({ system: systemId })
      return expires
    },
    /** Whose code it is, without using it up. */
    find: async (db: Db, code: string, now: Instant) =>
      await find(db).get({ hash: hashSecret(code), now }),
    /** One statement finds the code and takes it away: nobody else can use it meanwhile. */
    take: async (tx: Db, code: string, now: Instant) =>
      await take(tx).get({ hash: hashSecret(code), now }),
    async removeAll(tx: Db, systemId: number): Promise<void> {
      await removeAll(tx).run({ system: systemId })
    },
  }
}
