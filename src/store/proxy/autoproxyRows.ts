import { and, eq, getTableColumns } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createUpserter } from '../../db/rows'
import { autoproxies } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleMembers } from '../../db/visible'
import { diff, fillDefaults } from '../../model/core/entity'
import { type Autoproxy, autoproxy, type GuildAutoproxy } from '../../model/proxy/autoproxy'
import type { StoreDeps } from '../core/storeDeps'
import { recordEvent } from '../events/recordEvent'

const unset: GuildAutoproxy = {
  ...fillDefaults(autoproxy, {}),
  autoproxy_member: null,
  last_latch_timestamp: null,
}

/** Returns the state in a guild; mode `off` if none was ever stored. */
export async function getAutoproxy(
  db: Db,
  systemId: number,
  guild: string,
): Promise<GuildAutoproxy> {
  const row = await inGuild(db).get({ system: systemId, guild })
  if (!row) return unset
  const { id, hid, uuid, ...rest } = row
  return { ...rest, autoproxy_member: id && hid && uuid ? { id, hid, uuid } : null }
}

/** Stores the new state and records an event with the changed values. */
export async function storeAutoproxy(
  deps: StoreDeps,
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
  await storeAutoproxyRow(tx, row)
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

const inGuild = query((db, { system, guild }: Placeholders<'system' | 'guild'>) => {
  const { system_id, guild_id, autoproxy_member, ...rest } = getTableColumns(autoproxies)
  const { id, hid, uuid } = visibleMembers
  return db
    .select({ ...rest, id, hid, uuid })
    .from(autoproxies)
    .leftJoin(visibleMembers, eq(id, autoproxy_member))
    .where(and(eq(system_id, system), eq(guild_id, guild)))
})

export const storeAutoproxyRow = createUpserter(
  autoproxies,
  ['system_id', 'guild_id'],
  columnsOfEntity(autoproxy),
)
