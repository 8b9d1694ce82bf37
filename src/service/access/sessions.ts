import { incrementCounter } from '../../db/changeCounters'
import { lockSystem } from '../../db/locks'
import type { Db } from '../../db/types'
import { requireEnabled } from '../../db/visible'
import type { Device, OpenedSession, Session } from '../../model/access/session'
import { error } from '../../model/core/errors'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { loginCodes } from '../../store/access/oneTimeCodes'
import { hashSecret } from '../../store/access/secrets'
import {
  deleteSession,
  deleteSessionsOf,
  extendSession,
  findSession,
  findSessionByHash,
  insertSession,
  listValidSessions,
  type SessionOrigin,
  updateSessionName,
} from '../../store/access/sessionRows'
import { findValidToken, setLastUsed } from '../../store/access/tokenRows'
import type { Deps } from '../core/deps'
import type { Credential } from './types'

/** Credential that a browser logs in with. */
export type Proof = { token: string } | { code: string }

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
    if (origin.token_id !== null) await setLastUsed(tx, origin.token_id, now)
    return insertSession(tx, origin, device, now)
  })
}

/** Finds the system of a proof without consuming a code. */
async function previewOrigin(
  tx: Db,
  proof: Proof,
  now: Instant,
): Promise<{ system_id: number } | null> {
  if ('code' in proof) return loginCodes.find(tx, proof.code, now)
  return findValidToken(tx, hashSecret(proof.token), now)
}

async function findOrigin(tx: Db, proof: Proof, now: Instant): Promise<SessionOrigin | null> {
  if ('code' in proof) {
    const consumed = await loginCodes.consume(tx, proof.code, now)
    return consumed && { ...consumed, token_id: null, expires: null }
  }
  const token = await findValidToken(tx, hashSecret(proof.token), now)
  if (token && token.scope !== 'full') throw error('forbidden')
  return token
}

export async function getSession({ db, now }: Deps, viewer: Viewer): Promise<Session> {
  const session = viewer.session && (await findSession(db, viewer.session, now()))
  if (!session) throw error('unauthorized')
  return session
}

export async function listSessions({ db, now }: Deps, viewer: Viewer): Promise<Session[]> {
  return listValidSessions(db, requireSystem(viewer, 'manage'), now())
}

export async function renameSession(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
  name: string,
): Promise<Session> {
  const system = requireSystem(viewer, 'manage')
  return deps.transact({ system }, async (tx) => {
    const session = await updateSessionName(tx, { system, uuid, name, now: deps.now() })
    if (!session) throw error('notFound')
    return session
  })
}

export async function endSession(deps: Deps, viewer: Viewer, uuid: string): Promise<void> {
  const system = requireSystem(viewer, 'manage')
  const ended = await deps.transact({ system }, async (tx) => {
    await incrementCounter(tx, 'credentials')
    return deleteSession(tx, system, uuid)
  })
  if (!ended) throw error('notFound')
}

/** Ends the session of a cookie, even if its system is disabled. */
export async function endOwnSession(deps: Deps, secret: string): Promise<void> {
  const session = await findSessionByHash(deps.db, hashSecret(secret), deps.now())
  if (!session) throw error('unauthorized')
  const { system_id: system, uuid } = session
  await deps.transact({ system }, async (tx) => {
    await incrementCounter(tx, 'credentials')
    await deleteSession(tx, system, uuid)
  })
}

/** Ends all sessions of the system and deletes its unused login links. */
export async function endAllSessions(deps: Deps, viewer: Viewer): Promise<void> {
  const system = requireSystem(viewer, 'manage')
  await deps.transact({ system }, async (tx) => {
    await deleteSessionsOf(tx, system)
    await incrementCounter(tx, 'credentials')
    await loginCodes.removeAll(tx, system)
  })
}

/** Updates the time of last use, and extends a remembered session. */
export async function renewSession(deps: Deps, credential: Credential): Promise<void> {
  await deps.transact('new', async (tx) => {
    const renewed = await extendSession(tx, credential.id, deps.now())
    if (renewed) credential.expires = renewed.expires
  })
}
