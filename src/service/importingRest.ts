import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { prepared } from '../db/open'
import { autoproxies, memberGuilds, switches, switchMembers, systemGuilds } from '../db/tables'
import { changesOf, fillDefaults } from '../model/entity'
import { memberGuild, systemGuild } from '../model/guild'
import { findMemberGuild, findSystemGuild } from './guilds'
import type { Import } from './importing'

/** Switches are matched by their time: one that is there already stays as it is. */
export async function importSwitches(work: Import): Promise<void> {
  const { tx, systemId, bundle, report, options } = work
  const isWanted = options.only?.has('switches') ?? true
  const times = await tx
    .select({ timestamp: switches.timestamp })
    .from(switches)
    .where(eq(switches.system_id, systemId))
    .all()
  const known = new Set(times.map(({ timestamp }) => timestamp))
  const taken = await takenUuids(work)
  for (const { uuid, timestamp, members } of bundle.switches) {
    const ids = members.flatMap((key) => work.members.get(key)?.id ?? [])
    const isLost = members.length > 0 && ids.length === 0
    if (!isWanted || isLost) report.switches.left_out += 1
    else if (known.has(timestamp)) report.switches.unchanged += 1
    else {
      const free = uuid && !taken.has(uuid) ? uuid : randomUUID()
      const made = await addSwitch(tx).get({ uuid: free, system: systemId, timestamp })
      for (const [position, member] of [...new Set(ids)].entries())
        await addFronter(tx).run({ switch: made.id, position, member })
      report.switches.added += 1
      work.touch()
    }
    await work.step()
  }
}

export async function importGuilds(work: Import): Promise<void> {
  const { tx, systemId, bundle } = work
  for (const { guild_id, ...values } of bundle.systemGuilds) {
    const found = await findSystemGuild(tx, systemId, guild_id)
    const before = found ?? fillDefaults(systemGuild, {})
    const changed = changesOf<typeof systemGuild>(before, values)
    if (found && Object.keys(changed).length === 0) continue
    const row = { ...before, ...changed, system_id: systemId, guild_id }
    const target = [systemGuilds.system_id, systemGuilds.guild_id]
    await tx.insert(systemGuilds).values(row).onConflictDoUpdate({ target, set: row })
    work.touch()
  }
  for (const { guild_id, member: key, ...values } of bundle.memberGuilds) {
    const member = work.members.get(key)
    if (!member) continue
    const found = await findMemberGuild(tx, member.id, guild_id)
    const before = found ?? fillDefaults(memberGuild, {})
    const changed = changesOf<typeof memberGuild>(before, values)
    if (found && Object.keys(changed).length === 0) continue
    const row = { ...before, ...changed, member_id: member.id, guild_id }
    const target = [memberGuilds.member_id, memberGuilds.guild_id]
    await tx.insert(memberGuilds).values(row).onConflictDoUpdate({ target, set: row })
    work.touch()
  }
}

/** Autoproxy that is set here already is of today; a file only fills in what is missing. */
export async function importAutoproxy(work: Import): Promise<void> {
  const { tx, systemId, bundle } = work
  for (const { guild_id, autoproxy_member, ...values } of bundle.autoproxy) {
    const found = await tx
      .select()
      .from(autoproxies)
      .where(and(eq(autoproxies.system_id, systemId), eq(autoproxies.guild_id, guild_id)))
      .all()
    const member = autoproxy_member ? work.members.get(autoproxy_member) : null
    const isHeadless = values.autoproxy_mode === 'member' && !member
    if (found.length > 0 || isHeadless) continue
    await tx.insert(autoproxies).values({
      ...values,
      system_id: systemId,
      guild_id,
      autoproxy_member: member?.id ?? null,
    })
    work.touch()
  }
}

/** Which UUIDs of the file's switches are in use on this server. */
async function takenUuids({ tx, bundle }: Import): Promise<Set<string>> {
  const named = bundle.switches.flatMap(({ uuid }) => uuid ?? [])
  const rows = await tx
    .select({ uuid: switches.uuid })
    .from(switches)
    .where(sql`${switches.uuid} in (select value from json_each(${JSON.stringify(named)}))`)
    .all()
  return new Set(rows.map(({ uuid }) => uuid))
}

const addSwitch = prepared((db) =>
  db
    .insert(switches)
    .values({
      uuid: sql.placeholder('uuid'),
      system_id: sql.placeholder('system'),
      timestamp: sql.placeholder('timestamp'),
    })
    .returning({ id: switches.id })
    .prepare(),
)

const addFronter = prepared((db) =>
  db
    .insert(switchMembers)
    .values({
      switch_id: sql.placeholder('switch'),
      position: sql.placeholder('position'),
      member_id: sql.placeholder('member'),
    })
    .prepare(),
)
