import type { Db } from '../../db/types'
import { error } from '../../model/core/errors'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import { Problem } from '../../model/core/validation'
import type { AutoproxyPatch, GuildAutoproxy } from '../../model/proxy/autoproxy'
import { getAutoproxy, storeAutoproxy } from '../../store/proxy/autoproxyRows'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'
import { findMember } from '../members/members'

/** Values of the modes that have no member: all but `latch` and `member`. */
const released = { autoproxy_member: null, last_latch_timestamp: null }

export async function getOwnAutoproxy(
  { db }: Deps,
  viewer: Viewer,
  guild: string,
): Promise<GuildAutoproxy> {
  return getAutoproxy(db, requireSystem(viewer, 'read'), guild)
}

export async function patchAutoproxy(
  deps: Deps,
  viewer: Viewer,
  guild: string,
  patch: AutoproxyPatch,
): Promise<GuildAutoproxy> {
  const systemId = requireSystem(viewer)
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const before = await getAutoproxy(tx, systemId, guild)
    const after = await applyPatch(deps, tx, systemId, before, patch)
    return storeAutoproxy(deps, tx, systemId, guild, before, after)
  })
}

/** Applies a patch. The mode decides whether a member is required, allowed or refused. */
async function applyPatch(
  deps: Deps,
  tx: Db,
  systemId: number,
  before: GuildAutoproxy,
  patch: AutoproxyPatch,
): Promise<GuildAutoproxy> {
  const { autoproxy_member: memberRef, ...rest } = patch
  const after = { ...before, ...rest }
  const { autoproxy_mode } = after
  if (autoproxy_mode === 'off' || autoproxy_mode === 'front') {
    if (memberRef) throw rejectMember(new Problem('not_null_in_mode', { mode: autoproxy_mode }))
    return { ...after, ...released }
  }
  if (memberRef) {
    const autoproxy_member = await getNamed(tx, systemId, memberRef)
    const isLatched = autoproxy_mode === 'latch'
    return { ...after, autoproxy_member, ...(isLatched && { last_latch_timestamp: deps.now() }) }
  }
  const isReleased = memberRef === null
  if (autoproxy_mode === 'member' && (isReleased || !before.autoproxy_member))
    throw error('autoproxyMemberMissing')
  return isReleased ? { ...after, ...released } : after
}

async function getNamed(tx: Db, systemId: number, ref: string) {
  const member = await findMember(tx, ref)
  if (!member) throw rejectMember(new Problem('member_not_found'))
  if (member.system_id !== systemId) throw error('notYourMember')
  return member
}

function rejectMember(problem: Problem) {
  return error('invalidBody', { autoproxy_member: [problem] })
}
