import { anonymousViewer, type Viewer } from '../model/privacy'
import type { Credential, TokenOwner } from '../service/access/credentialCache'
import { findBot, findSession, findToken, getCachedToken } from '../service/access/credentials'
import type { Deps } from '../service/deps'
import { actFor } from '../service/systems'
import type { PathPolicy } from './apiModule'
import { isSafeMethod } from './safeMethod'
import { isSameOrigin, type OriginConfig, readSessionCookie } from './web/cookie'

/** Who is at the other end of a request. */
export interface Caller {
  readonly kind: 'nobody' | 'system' | 'bot'
  readonly viewer: Viewer
  /** The system that the caller acts as, as it may be named. */
  readonly system: TokenOwner | null
}

export const anonymous: Caller = { kind: 'nobody', viewer: anonymousViewer, system: null }

/** Finds out who asks. A missing, malformed or unknown token makes the caller nobody. */
export type Authenticate = (
  request: Pick<Request, 'method' | 'headers'>,
  facts: Pick<PathPolicy, 'requiresBotKey' | 'isLogin'>,
) => Caller | Promise<Caller>

export function createAuthenticator(deps: Deps, origin: OriginConfig): Authenticate {
  return ({ method, headers }, facts) => {
    // The cookie of a disabled system must keep nobody from going, or from coming in as another.
    if (facts.isLogin && !isSafeMethod(method)) return anonymous
    const header = headers.get('authorization')
    if (header !== null) {
      // Most requests show a token that was seen a moment ago.
      const known = getCachedToken(deps, header)
      return known ? asSystem(known) : lookUp(deps, header, headers, facts)
    }
    const cookie = facts.requiresBotKey ? null : readSessionCookie(headers, origin)
    if (cookie !== null && isSameOrigin(method, headers, origin)) return bySession(deps, cookie)
    // What nobody reads is read together with what others do, as if a token had been looked up.
    deps.sharedRead.begin()
    return anonymous
  }
}

function asSystem({ viewer, system }: Credential): Caller {
  return { kind: 'system', viewer, system }
}

async function bySession(deps: Deps, secret: string): Promise<Caller> {
  const pass = await findSession(deps, secret)
  return pass ? asSystem(pass) : anonymous
}

/** A raw token, or one behind the word `Bearer` or `Bot`. */
async function lookUp(
  deps: Deps,
  header: string,
  headers: Headers,
  { requiresBotKey }: Pick<PathPolicy, 'requiresBotKey'>,
): Promise<Caller> {
  const [, scheme = '', secret = ''] = /^(?:(Bot|Bearer)\s+)?(.*)$/i.exec(header.trim()) ?? []
  if (secret === '') return anonymous
  if (scheme.toLowerCase() === 'bot') {
    // The bot interface itself names its systems in the path.
    const named = requiresBotKey ? null : headers.get('x-system')
    return asBot(deps, secret, named)
  }
  const pass = await findToken(deps, secret)
  return pass ? asSystem(pass) : anonymous
}

/** A bot acts as the system it names in `X-System`, or as nobody. */
async function asBot(deps: Deps, key: string, named: string | null): Promise<Caller> {
  const bot = await findBot(deps, key)
  if (!bot) return anonymous
  const viewer = { system: null, platform: bot.platform }
  if (named === null) return { kind: 'bot', viewer, system: null }
  return { kind: 'bot', ...(await actFor(deps, viewer, named)) }
}
