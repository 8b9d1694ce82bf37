import { nobody, type Viewer } from '../model/privacy'
import type { Deps } from '../service/deps'
import { actFor } from '../service/systems'
import type { TokenOwner } from '../service/tokenMemory'
import { findBot, findTokenOwner, recallToken } from '../service/tokens'
import type { Facts } from './wire'

/** Who is at the other end of a request. */
export interface Caller {
  readonly kind: 'nobody' | 'system' | 'bot'
  readonly viewer: Viewer
  /** The system that the caller acts as, as it may be named. */
  readonly system: TokenOwner | null
}

export const anonymous: Caller = { kind: 'nobody', viewer: nobody, system: null }

/** A missing, malformed or unknown token makes the caller nobody. */
export function findCaller(
  deps: Deps,
  headers: Headers,
  facts: Pick<Facts, 'isForBots'>,
): Caller | Promise<Caller> {
  const header = headers.get('authorization')
  if (header === null) return findNobody(deps)
  // Most requests show a token that was seen a moment ago.
  const known = recallToken(deps, header)
  return known ? asSystem(known) : lookUp(deps, header, headers, facts)
}

/** What nobody reads is read together with what others do, as if a token had been looked up. */
function findNobody({ sharedRead }: Deps): Caller {
  sharedRead.join()
  return anonymous
}

function asSystem(system: TokenOwner): Caller {
  return { kind: 'system', viewer: { system: system.id, platform: null }, system }
}

/** A raw token, or one behind the word `Bearer` or `Bot`. */
async function lookUp(
  deps: Deps,
  header: string,
  headers: Headers,
  { isForBots }: Pick<Facts, 'isForBots'>,
): Promise<Caller> {
  const [, scheme = '', secret = ''] = /^(?:(Bot|Bearer)\s+)?(.*)$/i.exec(header.trim()) ?? []
  if (secret === '') return anonymous
  if (scheme.toLowerCase() === 'bot') {
    // The bot interface itself names its systems in the path.
    const named = isForBots ? null : headers.get('x-system')
    return asBot(deps, secret, named)
  }
  const system = await findTokenOwner(deps, secret)
  return system ? asSystem(system) : anonymous
}

/** A bot acts as the system it names in `X-System`, or as nobody. */
async function asBot(deps: Deps, key: string, named: string | null): Promise<Caller> {
  const bot = await findBot(deps, key)
  if (!bot) return anonymous
  const viewer = { system: null, platform: bot.platform }
  if (named === null) return { kind: 'bot', viewer, system: null }
  return { kind: 'bot', ...(await actFor(deps, viewer, named)) }
}
