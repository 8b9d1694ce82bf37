import { anonymousViewer, type Viewer } from '../../model/core/privacy'
import { findBot, findSession, findToken } from '../../service/access/credentials'
import type { Bot, Credential, TokenOwner } from '../../service/access/types'
import type { Deps } from '../../service/core/deps'
import { actFor } from '../../service/systems/systems'
import type { PathPolicy } from './apiModule'
import { isSafeMethod } from './routeTable'
import { isSameOrigin, type OriginConfig, readSessionCookie } from './sessionCookie'

/** Authenticated sender of a request. */
export interface Caller {
  readonly kind: 'anonymous' | 'system' | 'bot'
  readonly viewer: Viewer
  /** System that the caller acts as, with its IDs. */
  readonly system: TokenOwner | null
}

export const anonymous: Caller = { kind: 'anonymous', viewer: anonymousViewer, system: null }

/** Identifies the caller. A missing, malformed or unknown token makes it anonymous. */
export type Authenticate = (
  request: Pick<Request, 'method' | 'headers'>,
  policy: Pick<PathPolicy, 'requiresBotKey' | 'isLogin'>,
) => Caller | Promise<Caller>

export function createAuthenticator(deps: Deps, origin: OriginConfig): Authenticate {
  return ({ method, headers }, policy) => {
    // The cookie of a disabled system must not prevent a logout, or a login as another system.
    if (policy.isLogin && !isSafeMethod(method)) return anonymous
    const header = headers.get('authorization')
    if (header !== null) return findCaller(deps, header.trim(), headers, policy)
    const cookie = policy.requiresBotKey ? null : readSessionCookie(headers, origin)
    if (cookie !== null && isSameOrigin(method, headers, origin))
      return findSession(deps, cookie).then(asSystem)
    return anonymous
  }
}

function asSystem(credential: Credential | null): Caller {
  if (!credential) return anonymous
  return { kind: 'system', viewer: credential.viewer, system: credential.system }
}

const SCHEME = /^(Bot|Bearer)\s+/i

/** Accepts a raw token, or one after `Bearer` or `Bot`. Awaits nothing if the token is cached. */
function findCaller(
  deps: Deps,
  header: string,
  headers: Headers,
  { requiresBotKey }: Pick<PathPolicy, 'requiresBotKey'>,
): Caller | Promise<Caller> {
  const scheme = SCHEME.exec(header)
  const secret = scheme ? header.slice(scheme[0].length) : header
  if (secret === '') return anonymous
  if (scheme?.[1]?.toLowerCase() === 'bot') {
    // The bot API refers to systems in its paths instead.
    const systemRef = requiresBotKey ? null : headers.get('x-system')
    const bot = findBot(deps, secret)
    return bot instanceof Promise
      ? bot.then((resolvedBot) => asBot(deps, resolvedBot, systemRef))
      : asBot(deps, bot, systemRef)
  }
  const credential = findToken(deps, secret)
  return credential instanceof Promise ? credential.then(asSystem) : asSystem(credential)
}

/** A bot acts as the system named in `X-System`, if any. */
function asBot(deps: Deps, bot: Bot | null, systemRef: string | null): Caller | Promise<Caller> {
  if (!bot) return anonymous
  const viewer = { system: null, platform: bot.platform }
  if (systemRef === null) return { kind: 'bot', viewer, system: null }
  return actFor(deps, viewer, systemRef).then((acting) => ({ kind: 'bot', ...acting }))
}
