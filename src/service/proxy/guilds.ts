import {
  type Draft,
  diff,
  type Entity,
  fillDefaults,
  isEmptyPatch,
  type Patch,
  type Row,
} from '../../model/core/entity'
import { error } from '../../model/core/errors'
import { requirePlatformAuthority, requireSystem, type Viewer } from '../../model/core/privacy'
import {
  type Guild,
  type GuildPatch,
  type MemberGuild,
  type MemberGuildPatch,
  memberGuild,
  type SystemGuild,
  type SystemGuildPatch,
  systemGuild,
} from '../../model/proxy/guild'
import { requireEntityExists } from '../../store/core/entityRows'
import { recordEvent } from '../../store/events/recordEvent'
import { memberRowKind } from '../../store/members/memberRows'
import {
  findGuild,
  findMemberGuild,
  findSystemGuild,
  storeGuild,
  storeMemberGuild,
  storeSystemGuild,
} from '../../store/proxy/guildRows'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'
import { getOwnEntity } from '../core/entities'

/** Behaviour when no settings are stored for the guild yet. Only bots may create them. */
export type OnMissing = 'refuse' | 'create'

export async function getSystemGuild(
  { db }: Deps,
  viewer: Viewer,
  guildId: string,
): Promise<SystemGuild> {
  const settings = await findSystemGuild(db, requireSystem(viewer, 'read'), guildId)
  if (!settings) throw error('noSystemGuild')
  return settings
}

export async function patchSystemGuild(
  deps: Deps,
  viewer: Viewer,
  guildId: string,
  patch: SystemGuildPatch,
  onMissing: OnMissing,
): Promise<SystemGuild> {
  const systemId = requireSystem(viewer)
  if (onMissing === 'create') requirePlatformAuthority(viewer, guildId)
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const settings = await findSystemGuild(tx, systemId, guildId)
    if (!settings && onMissing === 'refuse') throw error('noSystemGuild')
    const { after, changed } = applyPatch(systemGuild, settings, patch)
    const row = { system_id: systemId, guild_id: guildId, ...after }
    await storeSystemGuild(tx, row)
    if (changed)
      await recordEvent(tx, deps.now(), {
        system_id: systemId,
        type: 'UPDATE_SYSTEM_GUILD',
        subject: null,
        data: { guild_id: guildId, ...changed },
      })
    return after
  })
}

export async function getMemberGuild(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  guildId: string,
): Promise<MemberGuild> {
  const { id } = await getOwnEntity(deps, viewer, memberRowKind, ref, 'read')
  const row = await findMemberGuild(deps.db, id, guildId)
  if (!row) throw error('noMemberGuild')
  return row
}

export async function patchMemberGuild(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  guildId: string,
  patch: MemberGuildPatch,
  onMissing: OnMissing,
): Promise<MemberGuild> {
  const member = await getOwnEntity(deps, viewer, memberRowKind, ref)
  if (onMissing === 'create') requirePlatformAuthority(viewer, guildId)
  return deps.transact({ system: member.system_id }, async (tx) => {
    await requireEntityExists(tx, memberRowKind, member.id)
    const settings = await findMemberGuild(tx, member.id, guildId)
    if (!settings && onMissing === 'refuse') throw error('noMemberGuild')
    const { after, changed } = applyPatch(memberGuild, settings, patch)
    const row = { member_id: member.id, guild_id: guildId, ...after }
    await storeMemberGuild(tx, row)
    if (changed)
      await recordEvent(tx, deps.now(), {
        system_id: member.system_id,
        type: 'UPDATE_MEMBER_GUILD',
        subject: member.uuid,
        data: { guild_id: guildId, ...changed },
      })
    return after
  })
}

/** Returns the settings of a guild, which apply to every system in it; defaults if none are stored. */
export async function getGuild({ db }: Deps, viewer: Viewer, id: string): Promise<Guild> {
  requirePlatformAuthority(viewer, id)
  return findGuild(db, id)
}

export async function patchGuild(
  deps: Deps,
  viewer: Viewer,
  id: string,
  patch: GuildPatch,
): Promise<Guild> {
  requirePlatformAuthority(viewer, id)
  return deps.transact({ guild: id }, async (tx) => {
    const after = { ...(await findGuild(tx, id)), ...patch }
    const row = { ...after, guild_id: id }
    await storeGuild(tx, row)
    return after
  })
}

/** Applies a patch to stored settings, or to the defaults if none are stored. */
function applyPatch<E extends Entity>(entity: E, settings: Row<E> | null, patch: Patch<E>) {
  const before = settings ?? fillDefaults(entity, {} as Draft<E>)
  const changed = diff(before, patch)
  return {
    after: { ...before, ...changed } as Row<E>,
    changed: isEmptyPatch(changed) ? null : changed,
  }
}
