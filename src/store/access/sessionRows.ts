import { randomUUID } from 'node:crypto'
import { and, desc, eq, gt, lte, notInArray, sql } from 'drizzle-orm'
import { incrementCounter } from '../../db/changeCounters'
import { type Placeholders, query, type Values } from '../../db/query'
import { createInserter } from '../../db/rows'
import { sessions, tokens } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import {
  type Device,
  type OpenedSession,
  type Session,
  sessionDurations,
} from '../../model/access/session'
import type { Instant } from '../../model/core/time'
import { generateUrlSecret, hashSecret } from './secrets'

const MAX_SESSIONS = 50
const MAX_INSTANT = Number.MAX_SAFE_INTEGER

/** Origin of a session: its system, and the token that opened it. */
export interface SessionOrigin {
  system_id: number
  token_id: number | null
  /** Expiry of the token, which no session outlives. */
  expires: Instant | null
}

/** Stores a session. Deletes the oldest one if the system has too many. */
export async function insertSession(
  tx: Db,
  origin: SessionOrigin,
  { name, remember }: Device,
  now: Instant,
): Promise<OpenedSession> {
  const secret = generateUrlSecret()
  const { system_id, token_id } = origin
  const latest = now + (remember ? sessionDurations.remembered : sessionDurations.short)
  const expires = Math.min(latest, origin.expires ?? Infinity)
  const session = { uuid: randomUUID(), system_id, name, created: now, last_used: now, expires }
  await removeExpired(tx).run({ now })
  const row = { ...session, token_id, hash: hashSecret(secret), remember }
  const id = await insertRow(tx, row)
  const surplus = await removeSurplus(tx).all({ system: system_id })
  if (surplus.length > 0) await incrementCounter(tx, 'credentials')
  return { ...session, id, secret }
}

/** Lists the sessions of a system that have not expired, newest first. */
export async function listValidSessions(db: Db, system: number, now: Instant): Promise<Session[]> {
  return await ofSystem(db).all({ system, now })
}

export async function findSession(db: Db, id: number, now: Instant): Promise<Session | null> {
  return await byId(db).get({ id, now })
}

export async function findSessionByHash(
  db: Db,
  hash: string,
  now: Instant,
): Promise<Session | null> {
  return await byHash(db).get({ hash, now })
}

/** Returns the renamed session; null if the system has none of that UUID. */
export async function updateSessionName(
  tx: Db,
  values: Values<'system' | 'uuid' | 'name' | 'now'>,
): Promise<Session | null> {
  return await rename(tx).get(values)
}

/** Returns false if the system has no session of that UUID. */
export async function deleteSession(tx: Db, system: number, uuid: string): Promise<boolean> {
  return (await removeOne(tx).get({ system, uuid })) !== null
}

export function deleteSessionsOf(tx: Db, system: number): MaybePromise<unknown> {
  return removeAll(tx).run({ system })
}

/** Stores the time of last use, and extends a remembered session. Returns its expiry. */
export async function extendSession(
  tx: Db,
  id: number,
  now: Instant,
): Promise<{ expires: Instant } | null> {
  return await renew(tx).get({ id, now })
}

const { id, uuid, system_id, name, created, last_used, expires, remember } = sessions
const columns = { id, uuid, system_id, name, created, last_used, expires }

const insertRow = createInserter(sessions, [
  'uuid',
  'system_id',
  'token_id',
  'hash',
  'name',
  'created',
  'last_used',
  'expires',
  'remember',
])

const removeExpired = query((db, { now }: Placeholders<'now'>) =>
  db.delete(sessions).where(lte(expires, now)),
)

const removeSurplus = query((db, { system }: Placeholders<'system'>) => {
  const isOfSystem = eq(system_id, system)
  const newest = db.select({ id }).from(sessions).where(isOfSystem).orderBy(desc(id))
  return db
    .delete(sessions)
    .where(and(isOfSystem, notInArray(id, newest.limit(MAX_SESSIONS))))
    .returning({ id })
})

const ofSystem = query((db, { system, now }: Placeholders<'system' | 'now'>) =>
  db
    .select(columns)
    .from(sessions)
    .where(and(eq(system_id, system), gt(expires, now)))
    .orderBy(desc(id)),
)

const byId = query((db, values: Placeholders<'id' | 'now'>) =>
  db
    .select(columns)
    .from(sessions)
    .where(and(eq(id, values.id), gt(expires, values.now))),
)

const byHash = query((db, { hash, now }: Placeholders<'hash' | 'now'>) =>
  db
    .select(columns)
    .from(sessions)
    .where(and(eq(sessions.hash, hash), gt(expires, now))),
)

const rename = query((db, values: Placeholders<'system' | 'uuid' | 'name' | 'now'>) =>
  db
    .update(sessions)
    .set({ name: values.name })
    .where(and(eq(system_id, values.system), eq(uuid, values.uuid), gt(expires, values.now)))
    .returning(columns),
)

const removeOne = query((db, values: Placeholders<'system' | 'uuid'>) =>
  db
    .delete(sessions)
    .where(and(eq(system_id, values.system), eq(uuid, values.uuid)))
    .returning({ id }),
)

const removeAll = query((db, { system }: Placeholders<'system'>) =>
  db.delete(sessions).where(eq(system_id, system)),
)

/** Extends a remembered session, but not beyond the expiry of its token. */
const renew = query((db, values: Placeholders<'id' | 'now'>, { min }) => {
  const latest = min(
    sql`${values.now} + ${sessionDurations.remembered}`,
    sql`${created} + ${sessionDurations.longest}`,
  )
  const token = db
    .select({ expires: tokens.expires })
    .from(tokens)
    .where(eq(tokens.id, sessions.token_id))
  const extended = min(latest, sql`coalesce(${token}, ${MAX_INSTANT})`)
  return db
    .update(sessions)
    .set({
      last_used: values.now,
      expires: sql`case when ${eq(remember, true)} then ${extended} else ${expires} end`,
    })
    .where(eq(id, values.id))
    .returning({ expires })
})
