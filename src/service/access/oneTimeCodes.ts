import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { type Instant, MINUTE } from '../../model/time'
import { hashSecret } from './secrets'

const LIFETIME = 10 * MINUTE
const MAX_OPEN = 3

/** Creates the operations on codes of a system that are valid for one use within ten minutes. */
export function oneTimeCodes(table: 'link_codes' | 'login_codes') {
  const insert = statement<'system' | 'hash' | 'expires'>(
    `insert into ${table} (system_id, hash, expires) values (:system, :hash, :expires)`,
  )
  const removeExpired = statement<'now'>(`delete from ${table} where expires <= :now`)
  const removeSurplus = statement<'system'>(
    `delete from ${table} where system_id = :system and id not in (
       select id from ${table} where system_id = :system order by id desc limit ${MAX_OPEN}
     )`,
  )
  const removeAll = statement<'system'>(`delete from ${table} where system_id = :system`)
  const open = 'hash = :hash and expires > :now'
  const find = statement<'hash' | 'now', { system_id: number }>(
    `select system_id from ${table} where ${open}`,
  )
  const consume = statement<'hash' | 'now', { system_id: number }>(
    `delete from ${table} where ${open} returning system_id`,
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
