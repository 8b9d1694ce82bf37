import type { Db } from '../../db/types'
import { error } from '../../model/core/errors'
import { requirePlatformAuthority, type Viewer } from '../../model/core/privacy'
import { Problem } from '../../model/core/validation'
import type { GuildAutoproxy } from '../../model/proxy/autoproxy'
import {
  type Decision,
  decide,
  findTarget,
  type ProxyContext,
  type ProxyMessage,
} from '../../model/proxy/decide'
import { locateEntity } from '../../store/core/entityRows'
import { memberRowKind } from '../../store/members/memberRows'
import { getAutoproxy, storeAutoproxy } from '../../store/proxy/autoproxyRows'
import { findCandidates } from '../../store/proxy/findCandidates'
import {
  type CandidateMember,
  findCandidate,
  findContextRow,
  findRecorded,
  type ProxyContextRow,
  toCandidateMember,
  toProxyContext,
} from '../../store/proxy/proxyContext'
import type { Deps } from '../core/deps'
import { renderOwnMember } from '../reads/renderGaps'

export interface ProxyRequest extends ProxyMessage {
  account_id: string
  guild_id: string
  /** Short ID or UUID of the member to proxy as, whatever tags and autoproxy say. */
  as?: string | null
  /** ID of the message, to ignore it if it was proxied already. */
  original?: string | null
  /** Returns the decision without applying it. */
  dry_run: boolean
}

/** Decision about a message, with the system's short ID, and the member's JSON if it is proxied. */
export interface Decided {
  decision: Decision
  system: string | null
  member: string | null
  /** True if the bot is to send proxied messages in the guild without notifications. */
  silent: boolean
}

/** Decides about a message. Backslash commands take effect at once, a proxy when it is recorded. */
export async function decideMessage(
  deps: Deps,
  viewer: Viewer,
  request: ProxyRequest,
): Promise<Decided> {
  requirePlatformAuthority(viewer, request.account_id)
  // The context and the members are read on one snapshot.
  deps.sharedRead.begin()
  const { account_id: account, guild_id: guild, original = null } = request
  const row = await findContextRow(deps.db, account, guild, original)
  const recorded = row ? row.recorded : await findRecorded(deps.db, original)
  const silent = row?.guild_silent === 1
  if (recorded !== null) return { decision: ALREADY_PROXIED, system: null, member: null, silent }
  const loaded = row && (await readContext(deps, row, request))
  const decision = decide(loaded?.context ?? null, request)
  const system = loaded && !loaded.context.isDisabled ? loaded.system.hid : null
  if (decision.action === 'proxy') {
    const { id, json } = decision.member
    return { decision, system, member: json ?? (await renderOwnMember(deps, id)), silent }
  }
  if (loaded && !request.dry_run) await applyCommand(deps, loaded.system, request, decision)
  return { decision, system, member: null, silent }
}

const ALREADY_PROXIED: Decision = { action: 'ignore', reason: 'already_proxied' }

async function applyCommand(
  deps: Deps,
  { id }: { id: number },
  { guild_id }: ProxyRequest,
  { action }: Decision,
): Promise<void> {
  if (action !== 'autoproxy_off' && action !== 'unlatch') return
  await deps.transact({ system: id }, async (tx) => {
    const before = await getAutoproxy(tx, id, guild_id)
    // Another request may have changed the mode since the context was read.
    if (action === 'unlatch' && before.autoproxy_mode !== 'latch') return
    const autoproxy_mode = action === 'autoproxy_off' ? 'off' : before.autoproxy_mode
    const after: GuildAutoproxy = {
      ...before,
      autoproxy_mode,
      autoproxy_member: null,
      last_latch_timestamp: null,
    }
    await storeAutoproxy(deps, tx, id, guild_id, before, after)
  })
}

/** Adds the candidate members of a message to its context. */
async function readContext(
  { db }: Deps,
  row: ProxyContextRow,
  { guild_id, content, as }: ProxyRequest,
): Promise<{ context: ProxyContext<CandidateMember>; system: { id: number; hid: string } }> {
  const context = toProxyContext(row)
  if (context.isDisabled) return { context, system: row }
  if (as) context.as = await requireOwnMember(db, row.id, as)
  const { case_sensitive_proxy_tags } = context.settings
  const candidates = await findCandidates(
    db,
    row.tag_index_id,
    content ?? '',
    case_sensitive_proxy_tags,
  )
  for (const id of withTarget(candidates, findTarget(context))) {
    const candidate = await findCandidate(db, id, guild_id)
    if (candidate) context.members.push(toCandidateMember(candidate))
  }
  return { context, system: row }
}

/** Returns the row ID of a member that the request names. */
async function requireOwnMember(db: Db, system: number, ref: string): Promise<number> {
  const location = await locateEntity(db, memberRowKind, ref)
  if (!location) throw error('invalidBody', { as: [new Problem('member_not_found')] })
  if (location.system_id !== system) throw error('notYourMember')
  return location.id
}

/** Adds the target to the candidates, without duplicates, in order of creation. */
function withTarget(candidates: number[], target: number | null): number[] {
  if (target === null || candidates.includes(target)) return candidates
  return [...candidates, target].sort((a, b) => a - b)
}
