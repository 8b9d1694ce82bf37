import { anonymousViewer, type Viewer } from '../model/privacy'
import type { Credential, TokenOwner } from '../service/access/credentialCache'
import { findBot, findSession, findToken, getCachedToken } from '../service/access/credentials'
import type { Deps } from '../service/deps'
import { actFor } from '../service/systems'
import type { PathPolicy } from './apiModule'
import { isSafeMethod } from './safeMethod'
import { isSameOrigin, type OriginConfig, readSessionCookie } from './web/cookie'

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
    // The lookup of the caller and the statements of its request read one snapshot.
    deps.sharedRead.begin()
    const header = headers.get('authorization')
    if (header !== null) {
      // Most requests have a token that was used a moment ago.
      const cached = getCachedToken(deps, header)
      return cached ? asSystem(cached) : findCaller(deps, header, headers, policy)
    }
    const cookie = policy.requiresBotKey ? null : readSessionCookie(headers, origin)
    if (cookie !== null && isSameOrigin(method, headers, origin))
      return findCallerBySession(deps, cookie)
    return anonymous
  }
}

function asSystem({ viewer, system }: Credential): Caller {
  return { kind: 'system', viewer, system }
}

async function findCallerBySession(deps: Deps, secret: string): Promise<Caller> {
  const credential = await findSession(deps, secret)
  return credential ? asSystem(credential) : anonymous
}

/** Accepts a raw token, or one after `Bearer` or `Bot`. */
async function findCaller(
  deps: Deps,
  header: string,
  headers: Headers,
  { requiresBotKey }: Pick<PathPolicy, 'requiresBotKey'>,
): Promise<Caller> {
  const [, scheme = '', secret = ''] = /^(?:(Bot|Bearer)\s+)?(.*)$/i.exec(header.trim()) ?? []
  if (secret === '') return anonymous
  if (scheme.toLowerCase() === 'bot') {
    // The bot API refers to systems in its paths instead.
    const systemRef = requiresBotKey ? null : headers.get('x-system')
    return findBotCaller(deps, secret, systemRef)
  }
  const credential = await findToken(deps, secret)
  return credential ? asSystem(credential) : anonymous
}

/** Finds a bot by its key. It acts as the system named in `X-System`, if any. */
async function findBotCaller(deps: Deps, key: string, systemRef: string | null): Promise<Caller> {
  const bot = await findBot(deps, key)
  if (!bot) return anonymous
  const viewer = { system: null, platform: bot.platform }
  if (systemRef === null) return { kind: 'bot', viewer, system: null }
  return { kind: 'bot', ...(await actFor(deps, viewer, systemRef)) }
}
