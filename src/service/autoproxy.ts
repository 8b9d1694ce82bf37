import type { Db } from '../db/handle'
import { statement } from '../db/statement'
import { autoproxies } from '../db/tables'
import type { AutoproxyMode, AutoproxyPatch } from '../model/autoproxy'
import { Problem } from '../model/check'
import { error } from '../model/errors'
import { requireSystem, type Viewer } from '../model/privacy'
import type { Instant } from '../model/time'
import type { Deps } from './deps'
import { findMember } from './members'
import { tell } from './outbox'
import { refuseDeleted } from './systems'

/** Autoproxy of a system in a guild, with the member as it is named outside. */
export interface GuildAutoproxy {
  autoproxy_mode: AutoproxyMode
  autoproxy_member: { id: number; hid: string; uuid: string } | null
  last_latch_timestamp: Instant | null
}

const unset: GuildAutoproxy = {
  autoproxy_mode: 'off',
  autoproxy_member: null,
  last_latch_timestamp: null,
}

export async function getOwnAutoproxy(
  { db }: Deps,
  viewer: Viewer,
  guild: string,
): Promise<GuildAutoproxy> {
  return getAutoproxy(db, requireSystem(viewer), guild)
}

/** What is set in a guild; what was never set is off. */
export async function getAutoproxy(
  db: Db,
  systemId: number,
  guild: string,
): Promise<GuildAutoproxy> {
  const found = await inGuild(db).get({ system: systemId, guild })
  if (!found) return unset
  const { autoproxy_mode, last_latch_timestamp, id, hid, uuid } = found
  const autoproxy_member = id === null ? null : { id, hid, uuid }
  return { autoproxy_mode, autoproxy_member, last_latch_timestamp }
}

export async function patchAutoproxy(
  deps: Deps,
  viewer: Viewer,
  guild: string,
  patch: AutoproxyPatch,
): Promise<GuildAutoproxy> {
  const systemId = requireSystem(viewer)
  return deps.transact(async (tx) => {
    await refuseDeleted(tx, systemId)
    const before = await getAutoproxy(tx, systemId, guild)
    const after = await settleMember(deps, tx, systemId, before, patch)
    return storeAutoproxy(deps, tx, systemId, guild, before, after)
  })
}

/** Keeps the new state and tells what is new about it. */
export async function storeAutoproxy(
  deps: Deps,
  tx: Db,
  systemId: number,
  guild: string,
  before: GuildAutoproxy,
  after: GuildAutoproxy,
): Promise<GuildAutoproxy> {
  const { autoproxy_mode, autoproxy_member, last_latch_timestamp } = after
  const isNewMode = autoproxy_mode !== before.autoproxy_mode
  const isNewMember = autoproxy_member?.id !== before.autoproxy_member?.id
  const isNewTime = last_latch_timestamp !== before.last_latch_timestamp
  if (!isNewMode && !isNewMember && !isNewTime) return before
  const row = {
    system_id: systemId,
    guild_id: guild,
    autoproxy_mode,
    autoproxy_member: autoproxy_member?.id ?? null,
    last_latch_timestamp,
  }
  await tx
    .insert(autoproxies)
    .values(row)
    .onConflictDoUpdate({ target: [autoproxies.system_id, autoproxies.guild_id], set: row })
  await tell(tx, deps.now(), {
    system_id: systemId,
    type: 'UPDATE_AUTOPROXY',
    subject: null,
    data: {
      guild_id: guild,
      ...(isNewMode && { autoproxy_mode }),
      ...(isNewMember && { autoproxy_member: autoproxy_member?.uuid ?? null }),
      ...(isNewTime && { last_latch_timestamp }),
    },
  })
  return after
}

/** The rules between mode and member. */
async function settleMember(
  deps: Deps,
  tx: Db,
  systemId: number,
  before: GuildAutoproxy,
  patch: AutoproxyPatch,
): Promise<GuildAutoproxy> {
  const autoproxy_mode = patch.autoproxy_mode ?? before.autoproxy_mode
  const named = patch.autoproxy_member
  if (autoproxy_mode === 'off' || autoproxy_mode === 'front') {
    if (named) throw refuseMember(`Must be null while the mode is ${autoproxy_mode}.`)
    return { ...unset, autoproxy_mode }
  }
  if (named) {
    const autoproxy_member = await getNamed(tx, systemId, named)
    const last_latch_timestamp =
      autoproxy_mode === 'latch' ? deps.now() : before.last_latch_timestamp
    return { autoproxy_mode, autoproxy_member, last_latch_timestamp }
  }
  const isReleased = named === null
  if (autoproxy_mode === 'member' && (isReleased || !before.autoproxy_member))
    throw error('autoproxyMemberMissing')
  return isReleased ? { ...unset, autoproxy_mode } : { ...before, autoproxy_mode }
}

async function getNamed(tx: Db, systemId: number, ref: string) {
  const found = await findMember(tx, ref)
  if (!found) throw refuseMember('Member not found.')
  if (found.system_id !== systemId) throw error('notYourMember')
  return found
}

function refuseMember(message: string) {
  return error('invalidBody', { autoproxy_member: [new Problem(message)] })
}

const inGuild = statement<
  'system' | 'guild',
  {
    autoproxy_mode: AutoproxyMode
    last_latch_timestamp: Instant | null
    id: number | null
    hid: string
    uuid: string
  }
>(`
   select autoproxy_mode, last_latch_timestamp, members.id, members.hid, members.uuid
   from autoproxy left join members on members.id = autoproxy.autoproxy_member
   where autoproxy.system_id = :system and autoproxy.guild_id = :guild`)
