import type { Db } from '../../../db/types'
import { diff, fillDefaults, isEmptyPatch } from '../../../model/core/entity'
import { autoproxy } from '../../../model/proxy/autoproxy'
import { memberGuild, systemGuild } from '../../../model/proxy/guild'
import { fillPreferences } from '../../../store/access/preferenceRows'
import { storeAutoproxyRow } from '../../../store/proxy/autoproxyRows'
import {
  findMemberGuild,
  findSystemGuild,
  storeMemberGuild,
  storeSystemGuild,
} from '../../../store/proxy/guildRows'
import { guildsWithAutoproxy } from '../../../store/transfer/importEntityRows'
import type { Import } from './importContext'

/** Imports settings of guilds. Returns whether any changed. */
export async function importGuilds(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { head, memberIds } = work
  let isChanged = false
  for (const { guild_id, ...values } of head.systemGuilds) {
    const found = await findSystemGuild(tx, systemId, guild_id)
    const before = found ?? fillDefaults(systemGuild, {})
    const changed = diff<typeof systemGuild>(before, values)
    if (found && isEmptyPatch(changed)) continue
    await storeSystemGuild(tx, { ...before, ...changed, system_id: systemId, guild_id })
    isChanged = true
    await work.step(0)
  }
  for (const { guild_id, member: key, ...values } of head.memberGuilds) {
    const member_id = memberIds.get(key)
    if (member_id === undefined) continue
    const found = await findMemberGuild(tx, member_id, guild_id)
    const before = found ?? fillDefaults(memberGuild, {})
    const changed = diff<typeof memberGuild>(before, values)
    if (found && isEmptyPatch(changed)) continue
    await storeMemberGuild(tx, { ...before, ...changed, member_id, guild_id })
    isChanged = true
    await work.step(0)
  }
  return isChanged
}

/** Imports autoproxy for guilds that have none, because the stored state is newer than the file. */
export async function importAutoproxy(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { head, memberIds } = work
  const isSet = new Set(await guildsWithAutoproxy(tx, systemId))
  let isChanged = false
  for (const { guild_id, autoproxy_member, ...values } of head.autoproxy) {
    const member = autoproxy_member ? (memberIds.get(autoproxy_member) ?? null) : null
    const lacksMember = values.autoproxy_mode === 'member' && member === null
    if (isSet.has(guild_id) || lacksMember) continue
    const row = { ...fillDefaults(autoproxy, values), autoproxy_member: member }
    await storeAutoproxyRow(tx, { ...row, system_id: systemId, guild_id })
    isChanged = true
    await work.step(0)
  }
  return isChanged
}

export async function importPreferences(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { head, matched, memberIds, groupIds } = work
  if (!head.preferences) return false
  const existing = new Map(matched.groups.map(({ incoming, found }) => [incoming.key, found?.id]))
  const { pinned, statuses, ...word } = head.preferences
  return fillPreferences(tx, systemId, {
    ...word,
    pinned: pinned.flatMap((key) => memberIds.get(key) ?? []),
    statuses: statuses.flatMap((key) => existing.get(key) ?? groupIds.get(key) ?? []),
  })
}
