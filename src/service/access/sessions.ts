import { randomUUID } from 'node:crypto'
import { and, desc, eq, gt, isNull, lte, notInArray, or, sql } from 'drizzle-orm'
import { incrementCounter } from '../../db/changeCounters'
import { lockSystem } from '../../db/locks'
import { type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { sessions, tokens } from '../../db/tables'
import type { Db } from '../../db/types'
import { requireEnabled } from '../../db/visible'
import { error } from '../../model/core/errors'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import { DAY, HOUR, type Instant } from '../../model/core/time'
import { setLastUsed } from '../../store/access/insertToken'
import { generateUrlSecret, hashSecret } from '../../store/access/secrets'
import type { Deps } from '../core/deps'
import { loginCodes } from './loginLinks'
import type { Credential } from './types'

/** A browser that is logged in. */
export interface Session {
  id: number
  uuid: string
  system_id: number
  name: string
  created: Instant
  last_used: Instant
  expires: Instant
}

const SHORT = 12 * HOUR
const REMEMBERED = 90 * DAY
const LONGEST = 365 * DAY
const MAX_SESSIONS = 50
const MAX_INSTANT = Number.MAX_SAFE_INTEGER

/** Credential that a browser logs in with. */
export type Proof = { token: string } | { code: string }

export interface Device {
  name: string
  /** Stays logged in for months, not only until the browser is closed. */
  remember: boolean
}

export interface OpenedSession extends Session {
  /** Value of the cookie; only its hash is stored. */
  secret: string
}

/** Logs a browser in. Returns null for a wrong, used or expired proof, without saying which. */
export async function openSession(
  deps: Deps,
  proof: Proof,
  device: Device,
): Promise<OpenedSession | null> {
  return deps.transact('new', async (tx) => {
    const now = deps.now()
    const preview = await previewOrigin(tx, proof, now)
    if (!preview) return null
    // A concurrent request that ends all sessions must also end this one.
    await lockSystem(tx, preview.system_id)
    const origin = await findOrigin(tx, proof, now)
    if (!origin) return null
    await requireEnabled(tx, origin.system_id)
    if (origin.token_id !== null) await setLastUsed(tx).run({ id: origin.token_id, now })
    return insertSession(tx, origin, device, now)
  })
}

/** Origin of a session: its system, and the token that opened it. */
interface Origin {
  system_id: number
  token_id: number | null
  /** Expiry of the token, which no session outlives. */
  expires: Instant | null
}

/** Stores a session. Deletes the oldest one if the system has too many. */
export async function insertSession(
  tx: Db,
  origin: Origin,
  { name, remember }: Device,
  now: Instant,
): Promise<OpenedSession> {
  const secret = generateUrlSecret()
  const { system_id, token_id } = origin
  const latest = now + (remember ? REMEMBERED : SHORT)
  const expires = Math.min(latest, origin.expires ?? Infinity)
  const session = { uuid: randomUUID(), system_id, name, created: now, last_used: now, expires }
  await removeExpired(tx).run({ now })
  const row = { ...session, token_id, hash: hashSecret(secret), remember }
  const id = await insertRow(tx, row)
  const surplus = await removeSurplus(tx).all({ system: system_id })
  if (surplus.length > 0) await incrementCounter(tx, 'credentials')
  return { ...session, id, secret }
}

/** Finds the system of a proof without consuming a code. */
async function previewOrigin(
  tx: Db,
  proof: Proof,
  now: Instant,
): Promise<{ system_id: number } | null> {
  if ('code' in proof) return loginCodes.find(tx, proof.code, now)
  return await tokenByHash(tx).get({ hash: hashSecret(proof.token), now })
}

async function findOrigin(tx: Db, proof: Proof, now: Instant): Promise<Origin | null> {
  if ('code' in proof) {
    const consumed = await loginCodes.consume(tx, proof.code, now)
    return consumed && { ...consumed, token_id: null, expires: null }
  }
  const token = await tokenByHash(tx).get({ hash: hashSecret(proof.token), now })
  if (token && token.scope !== 'full') throw error('forbidden')
  return token
}

/** Returns the session of the caller. */
export async function getSession({ db, now }: Deps, viewer: Viewer): Promise<Session> {
  const found = viewer.session && (await byId(db).get({ id: viewer.session, now: now() }))
  if (!found) throw error('unauthorized')
  return found
}

export async function listSessions({ db, now }: Deps, viewer: Viewer): Promise<Session[]> {
  return await ofSystem(db).all({ system: requireSystem(viewer, 'manage'), now: now() })
}

export async function renameSession(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
  name: string,
): Promise<Session> {
  const system = requireSystem(viewer, 'manage')
  return deps.transact({ system }, async (tx) => {
    const found = await rename(tx).get({ system, uuid, name, now: deps.now() })
    if (!found) throw error('notFound')
    return found
  })
}

export async function endSession(deps: Deps, viewer: Viewer, uuid: string): Promise<void> {
  const system = requireSystem(viewer, 'manage')
  const ended = await deps.transact({ system }, async (tx) => {
    await incrementCounter(tx, 'credentials')
    return await endOne(tx).get({ system, uuid })
  })
  if (!ended) throw error('notFound')
}

/** Ends the session of a cookie, even if its system is disabled. */
export async function endOwnSession(deps: Deps, secret: string): Promise<void> {
  const found = await byHash(deps.db).get({ hash: hashSecret(secret), now: deps.now() })
  if (!found) throw error('unauthorized')
  const { system_id: system, uuid } = found
  await deps.transact({ system }, async (tx) => {
    await incrementCounter(tx, 'credentials')
    await endOne(tx).get({ system, uuid })
  })
}

/** Ends all sessions of the system and deletes its unused login links. */
export async function endAllSessions(deps: Deps, viewer: Viewer): Promise<void> {
  const system = requireSystem(viewer, 'manage')
  await deps.transact({ system }, async (tx) => {
    await endAll(tx).run({ system })
    await incrementCounter(tx, 'credentials')
    await loginCodes.removeAll(tx, system)
  })
}

/** Updates the time of last use, and extends a remembered session. */
export async function renewSession(deps: Deps, credential: Credential): Promise<void> {
  await deps.transact('new', async (tx) => {
    const renewed = await renew(tx).get({ id: credential.id, now: deps.now() })
    if (renewed) credential.expires = renewed.expires
  })
}

const { id, uuid, system_id, name, created, last_used, expires, remember } = sessions
const columns = { id, uuid, system_id, name, created, last_used, expires }

const tokenByHash = query((db, { hash, now }: Placeholders<'hash' | 'now'>) =>
  db
    .select({
      system_id: tokens.system_id,
      token_id: sql<number>`${tokens.id}`.as('token_id'),
      scope: tokens.scope,
      expires: tokens.expires,
    })
    .from(tokens)
    .where(and(eq(tokens.hash, hash), or(isNull(tokens.expires), gt(tokens.expires, now)))),
)

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

const endOne = query((db, values: Placeholders<'system' | 'uuid'>) =>
  db
    .delete(sessions)
    .where(and(eq(system_id, values.system), eq(uuid, values.uuid)))
    .returning({ id }),
)

const endAll = query((db, { system }: Placeholders<'system'>) =>
  db.delete(sessions).where(eq(system_id, system)),
)

/** Extends a remembered session, but not beyond the expiry of its token. */
const renew = query((db, values: Placeholders<'id' | 'now'>, { min }) => {
  const latest = min(sql`${values.now} + ${REMEMBERED}`, sql`${created} + ${LONGEST}`)
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
