import { and, eq, getTableColumns } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createUpserter } from '../../db/rows'
import { autoproxies } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleMembers } from '../../db/visible'
import { diff, fillDefaults, type Identity } from '../../model/core/entity'
import { error } from '../../model/core/errors'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import { Problem } from '../../model/core/validation'
import { type Autoproxy, type AutoproxyPatch, autoproxy } from '../../model/proxy/autoproxy'
import { recordEvent } from '../../store/events/recordEvent'
import type { Deps } from '../core/deps'
import { findMember } from '../members/members'
import { requireExists } from '../systems/deletion'

/** Autoproxy of a system in a guild, with the IDs of the member that clients use. */
export interface GuildAutoproxy extends Omit<Autoproxy, 'autoproxy_member'> {
  autoproxy_member: Identity | null
}

/** Values of the modes that have no member: all but `latch` and `member`. */
const released = { autoproxy_member: null, last_latch_timestamp: null }

const unset: GuildAutoproxy = { ...fillDefaults(autoproxy, {}), ...released }

export async function getOwnAutoproxy(
  { db }: Deps,
  viewer: Viewer,
  guild: string,
): Promise<GuildAutoproxy> {
  return getAutoproxy(db, requireSystem(viewer, 'read'), guild)
}

/** Returns the state in a guild; mode `off` if none was ever stored. */
export async function getAutoproxy(
  db: Db,
  systemId: number,
  guild: string,
): Promise<GuildAutoproxy> {
  const found = await inGuild(db).get({ system: systemId, guild })
  if (!found) return unset
  const { id, hid, uuid, ...rest } = found
  return { ...rest, autoproxy_member: id && hid && uuid ? { id, hid, uuid } : null }
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

/** Stores the new state and records an event with the changed values. */
export async function storeAutoproxy(
  deps: Deps,
  tx: Db,
  systemId: number,
  guild: string,
  before: GuildAutoproxy,
  after: GuildAutoproxy,
): Promise<GuildAutoproxy> {
  const changed = diff<typeof autoproxy>(withUuid(before), withUuid(after))
  if (Object.keys(changed).length === 0) return before
  const row = {
    system_id: systemId,
    guild_id: guild,
    ...after,
    autoproxy_member: after.autoproxy_member?.id ?? null,
  }
  await storeRow(tx, row)
  await recordEvent(tx, deps.now(), {
    system_id: systemId,
    type: 'UPDATE_AUTOPROXY',
    subject: null,
    data: { guild_id: guild, ...changed },
  })
  return after
}

/** Replaces the member by its UUID, as in events. */
function withUuid({ autoproxy_member, ...rest }: GuildAutoproxy): Autoproxy {
  return { ...rest, autoproxy_member: autoproxy_member?.uuid ?? null }
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
    if (memberRef) throw rejectMember(`Must be null while the mode is ${autoproxy_mode}.`)
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
  const found = await findMember(tx, ref)
  if (!found) throw rejectMember('Member not found.')
  if (found.system_id !== systemId) throw error('notYourMember')
  return found
}

function rejectMember(message: string) {
  return error('invalidBody', { autoproxy_member: [new Problem(message)] })
}

const inGuild = query((db, { system, guild }: Placeholders<'system' | 'guild'>) => {
  const { system_id, guild_id, autoproxy_member, ...rest } = getTableColumns(autoproxies)
  const { id, hid, uuid } = visibleMembers
  return db
    .select({ ...rest, id, hid, uuid })
    .from(autoproxies)
    .leftJoin(visibleMembers, eq(id, autoproxy_member))
    .where(and(eq(system_id, system), eq(guild_id, guild)))
})

export const storeRow = createUpserter(
  autoproxies,
  ['system_id', 'guild_id'],
  columnsOfEntity(autoproxy),
)
