import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { error } from '../../model/errors'
import type { Viewer } from '../../model/privacy'
import type { Scope } from '../../model/scope'
import type { Instant } from '../../model/time'
import type { Deps } from '../deps'
import { disabledError } from '../operating/disabling'
import type { Bot, Pass, TokenOwner } from './memory'
import { hashSecret } from './secrets'
import { renewSession } from './sessions'

/** Who somebody is by what they show: a token, a session's cookie, or a bot's key. */

const USE_MS = 60 * 60 * 1000

/** Whose token this is: looked up by its hash, so that no comparison tells how close a guess was. */
export async function findToken(deps: Deps, token: string): Promise<Pass | null> {
  const found = await deps.tokenMemory.tokens.find(token, async () => {
    const row = await tokenByHash(deps.db).get({ hash: hashSecret(token) })
    return (
      row && passOf(deps, row, { access: row.scope, watchesPrivate: row.private_members === 1 })
    )
  })
  return found && use(deps, found, noteToken)
}

/** The same, if it was looked up since anything was last written. */
export function recallToken(deps: Deps, token: string): Pass | null {
  const known = deps.tokenMemory.tokens.recall(token)
  return known ? use(deps, known, noteToken) : null
}

export async function findSession(deps: Deps, secret: string): Promise<Pass | null> {
  const found = await deps.tokenMemory.sessions.find(secret, async () => {
    const row = await sessionByHash(deps.db).get({ hash: hashSecret(secret) })
    return row && passOf(deps, row, { access: 'session', session: row.pass })
  })
  return found && use(deps, found, renewSession)
}

/** One that stands in the address of a calendar, where no other may stand. */
export async function findSubscriber(deps: Deps, token: string): Promise<Viewer> {
  const pass = await findToken(deps, token)
  if (!pass) throw error('unauthorized')
  if (pass.viewer.access !== 'calendar') throw error('forbidden')
  return pass.viewer
}

/** The bot whose key this is. */
export async function findBot(deps: Deps, key: string): Promise<Bot | null> {
  return deps.tokenMemory.bots.find(key, async () =>
    botByHash(deps.db).get({ hash: hashSecret(key) }),
  )
}

interface PassRow extends TokenOwner {
  pass: number
  expires: Instant | null
  last_used: Instant | null
  disabled_at: Instant | null
}

function passOf(deps: Deps, row: PassRow, more: Partial<Viewer>): Pass {
  const { pass, id, hid, uuid, expires, last_used, disabled_at } = row
  if (disabled_at !== null) throw disabledError()
  const viewer = { system: id, platform: null, ...more }
  const ago = last_used === null ? USE_MS : (deps.now() - last_used) / 1000
  const due = Date.now() + USE_MS - ago
  return { id: pass, system: { id, hid, uuid }, viewer, expires, due }
}

/** What is over is nothing. That it was used is kept once an hour, and nobody waits for it. */
function use(deps: Deps, pass: Pass, keep: (deps: Deps, id: number) => Promise<void>): Pass | null {
  if (pass.expires !== null && pass.expires <= deps.now()) return null
  const now = Date.now()
  if (now >= pass.due) {
    pass.due = now + USE_MS
    keep(deps, pass.id).catch(() => {})
  }
  return pass
}

async function noteToken(deps: Deps, id: number): Promise<void> {
  await deps.transact('new', async (tx: Db) => {
    await usedAt(tx).run({ id, now: deps.now() })
  })
}

const tokenByHash = statement<'hash', PassRow & { scope: Scope; private_members: number }>(`
   select tokens.id as pass, tokens.scope, tokens.private_members, tokens.expires,
     tokens.last_used, systems.id, systems.hid, systems.uuid, systems.disabled_at
   from tokens join systems on systems.id = tokens.system_id where tokens.hash = :hash`)

const sessionByHash = statement<'hash', PassRow>(`
   select sessions.id as pass, sessions.expires, sessions.last_used,
     systems.id, systems.hid, systems.uuid, systems.disabled_at
   from sessions join systems on systems.id = sessions.system_id where sessions.hash = :hash`)

const botByHash = statement<'hash', Bot>('select platform from bots where hash = :hash')

const usedAt = statement<'id' | 'now'>('update tokens set last_used = :now where id = :id')
