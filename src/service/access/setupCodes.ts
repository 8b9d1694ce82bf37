import { and, eq, gt, lte, notExists } from 'drizzle-orm'
import { type Builder, type Placeholders, query } from '../../db/query'
import { setupCodes } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import { DAY, type Instant } from '../../model/core/time'
import { generateUrlSecret, hashSecret } from '../../store/access/secrets'
import type { Deps } from '../core/deps'

// Links that create the first system in a browser. They are valid while the server has no system.

export interface SetupCode {
  code: string
  expires: Instant
}

const LIFETIME = DAY

/** Creates the code of a set-up link; only its hash is stored. Returns null if there is a system. */
export async function createSetupCode(deps: Deps, viewer: Viewer): Promise<SetupCode | null> {
  requireOperator(viewer)
  const code = generateUrlSecret()
  return deps.transact('registration', async (tx) => {
    if (await anySystem(tx).get({})) return null
    const now = deps.now()
    const expires = now + LIFETIME
    await removeExpired(tx).run({ now })
    await insert(tx).run({ hash: hashSecret(code), expires })
    return { code, expires }
  })
}

/** Returns the expiry of a set-up code without consuming the code; null if it is not valid. */
export async function previewSetup(
  { db, now }: Deps,
  code: string,
): Promise<{ expires: Instant } | null> {
  return await find(db).get({ hash: hashSecret(code), now: now() })
}

/** Returns whether the code is valid, and deletes it. Needs the lock key `registration`. */
export async function consumeSetupCode(tx: Db, code: string, now: Instant): Promise<boolean> {
  return (await consume(tx).get({ hash: hashSecret(code), now })) !== null
}

/** Deletes all set-up codes, because a system was created. */
export async function removeSetupCodes(tx: Db): Promise<void> {
  await removeAll(tx).run({})
}

const anySystem = query((db) => db.select({ id: visibleSystems.id }).from(visibleSystems).limit(1))

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
