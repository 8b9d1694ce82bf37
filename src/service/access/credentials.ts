import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { error } from '../../model/errors'
import type { Viewer } from '../../model/privacy'
import type { Scope } from '../../model/scope'
import type { Instant } from '../../model/time'
import { disabledError } from '../admin/disableSystem'
import type { Deps } from '../deps'
import type { Bot, Credential, TokenOwner } from './credentialCache'
import { hashSecret } from './secrets'
import { renewSession } from './sessions'

/** Who somebody is by what they show: a token, a session's cookie, or a bot's key. */

const TOUCH_MS = 60 * 60 * 1000

/** Whose token this is: looked up by its hash, so that no comparison tells how close a guess was. */
export async function findToken(deps: Deps, token: string): Promise<Credential | null> {
  const found = await deps.credentialCache.tokens.getOrLoad(token, async () => {
    const row = await tokenByHash(deps.db).get({ hash: hashSecret(token) })
    return (
      row &&
      toCredential(deps, row, { access: row.scope, watchesPrivate: row.private_members === 1 })
    )
  })
  return found && touch(deps, found, touchToken)
}

/** The same, if it was looked up since anything was last written. */
export function getCachedToken(deps: Deps, token: string): Credential | null {
  const known = deps.credentialCache.tokens.getCached(token)
  return known ? touch(deps, known, touchToken) : null
}

export async function findSession(deps: Deps, secret: string): Promise<Credential | null> {
  const found = await deps.credentialCache.sessions.getOrLoad(secret, async () => {
    const row = await sessionByHash(deps.db).get({ hash: hashSecret(secret) })
    return row && toCredential(deps, row, { access: 'session', session: row.credential })
  })
  return found && touch(deps, found, renewSession)
}

/** One that stands in the address of a calendar, where no other may stand. */
export async function authenticateCalendar(deps: Deps, token: string): Promise<Viewer> {
  const credential = await findToken(deps, token)
  if (!credential) throw error('unauthorized')
  if (credential.viewer.access !== 'calendar') throw error('forbidden')
  return credential.viewer
}

/** The bot whose key this is. */
export async function findBot(deps: Deps, key: string): Promise<Bot | null> {
  return deps.credentialCache.bots.getOrLoad(key, async () =>
    botByHash(deps.db).get({ hash: hashSecret(key) }),
  )
}

interface CredentialRow extends TokenOwner {
  credential: number
  expires: Instant | null
  last_used: Instant | null
  disabled_at: Instant | null
}

function toCredential(deps: Deps, row: CredentialRow, more: Partial<Viewer>): Credential {
  const { credential, id, hid, uuid, expires, last_used, disabled_at } = row
  if (disabled_at !== null) throw disabledError()
  const viewer = { system: id, platform: null, ...more }
  const ago = last_used === null ? TOUCH_MS : (deps.now() - last_used) / 1000
  const due = Date.now() + TOUCH_MS - ago
  return { id: credential, system: { id, hid, uuid }, viewer, expires, due }
}

/** What is over is nothing. That it was used is kept once an hour, and nobody waits for it. */
function touch(
  deps: Deps,
  credential: Credential,
  keep: (deps: Deps, id: number) => Promise<void>,
): Credential | null {
  if (credential.expires !== null && credential.expires <= deps.now()) return null
  const now = Date.now()
  if (now >= credential.due) {
    credential.due = now + TOUCH_MS
    keep(deps, credential.id).catch(() => {})
  }
  return credential
}

async function touchToken(deps: Deps, id: number): Promise<void> {
  await deps.transact('new', async (tx: Db) => {
    await usedAt(tx).run({ id, now: deps.now() })
  })
}

const tokenByHash = statement<'hash', CredentialRow & { scope: Scope; private_members: number }>(`
   select tokens.id as credential, tokens.scope, tokens.private_members, tokens.expires,
     tokens.last_used, systems.id, systems.hid, systems.uuid, systems.disabled_at
   from tokens join systems on systems.id = tokens.system_id where tokens.hash = :hash`)

const sessionByHash = statement<'hash', CredentialRow>(`
   select sessions.id as credential, sessions.expires, sessions.last_used,
     systems.id, systems.hid, systems.uuid, systems.disabled_at
   from sessions join systems on systems.id = sessions.system_id where sessions.hash = :hash`)

const botByHash = statement<'hash', Bot>('select platform from bots where hash = :hash')

const usedAt = statement<'id' | 'now'>('update tokens set last_used = :now where id = :id')
