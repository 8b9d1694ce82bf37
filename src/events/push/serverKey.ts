import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { serverKeys } from '../../db/tables'
import type { EventDeps } from '../deps'
import { generatePushKey, type PushKey } from './encrypt'

const NAME = 'push'

/** Returns the key of this server, and generates it at first use. All nodes get the same one. */
export async function getPushKey(deps: EventDeps): Promise<PushKey> {
  const key = await byName(deps.db).get({ name: NAME })
  if (key) return key
  const generated = await generatePushKey()
  const created = deps.now()
  return deps.transact('new', async (tx) => {
    // Another process may have inserted its key meanwhile, which then counts.
    await insertOrIgnore(tx).run({ name: NAME, ...generated, created })
    return (await byName(tx).get({ name: NAME })) ?? generated
  })
}

const { name, private_jwk, public_key } = serverKeys

const byName = query((db, values: Placeholders<'name'>) =>
  db.select({ private_jwk, public_key }).from(serverKeys).where(eq(name, values.name)),
)

const insertOrIgnore = query(
  (db, values: Placeholders<'name' | 'private_jwk' | 'public_key' | 'created'>) =>
    db
      .insert(serverKeys)
      .values({
        name: values.name,
        private_jwk: values.private_jwk,
        public_key: values.public_key,
        created: values.created,
      })
      .onConflictDoNothing(),
)
