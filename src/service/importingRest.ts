import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { autoproxies, memberGuilds, switches, systemGuilds } from '../db/tables'
import type { BundleSwitch } from '../formats/bundle'
import { changesOf, fillDefaults } from '../model/entity'
import { memberGuild, systemGuild } from '../model/guild'
import { findMemberGuild, findSystemGuild } from './guilds'
import type { Import } from './importWork'

/** Many switches in one statement: one by one a long history would take three times as long. */
const BATCH = 500

/** Switches are matched by their time: one that is there already stays as it is. */
export async function importSwitches(work: Import): Promise<void> {
  const { bundle, report, options } = work
  const isWanted = options.only?.has('switches') ?? true
  for (let at = 0; at < bundle.switches.length; at += BATCH) {
    const batch = bundle.switches.slice(at, at + BATCH)
    if (isWanted) await importBatch(work, batch)
    else report.switches.left_out += batch.length
    await work.step(batch.length)
  }
}

async function importBatch(work: Import, batch: readonly BundleSwitch[]): Promise<void> {
  const { tx, systemId, report } = work
  const known = await knownTimes(work, batch)
  const taken = await takenUuids(work, batch)
  const rows: [uuid: string, timestamp: number, members: number[]][] = []
  for (const { uuid, timestamp, members } of batch) {
    const ids = members.flatMap((key) => work.members.get(key)?.id ?? [])
    const isLost = members.length > 0 && ids.length === 0
    if (isLost) report.switches.left_out += 1
    else if (known.has(timestamp)) report.switches.unchanged += 1
    else {
      const free = uuid && !taken.has(uuid) ? uuid : randomUUID()
      if (uuid && uuid !== free) report.renamed.push({ kind: 'switch', from: uuid, to: free })
      rows.push([free, timestamp, ids])
    }
  }
  if (rows.length === 0) return
  const json = JSON.stringify(rows)
  // Not by `run`, which keeps to itself what SQLite says when it fails.
  await tx.all(sql`
    insert into switches (uuid, system_id, timestamp)
    select value ->> 0, ${systemId}, value ->> 1 from json_each(${json})
  `)
  await tx.all(sql`
    insert into switch_members (switch_id, position, member_id)
    select s.id, m.key, m.value
    from json_each(${json}) r
    join switches s on s.uuid = r.value ->> 0
    join json_each(r.value, '$[2]') m
  `)
  report.switches.added += rows.length
  work.touch()
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

async function knownTimes(
  { tx, systemId }: Import,
  batch: readonly BundleSwitch[],
): Promise<Set<number>> {
  const named = batch.map(({ timestamp }) => timestamp)
  const rows = await tx
    .select({ timestamp: switches.timestamp })
    .from(switches)
    .where(and(eq(switches.system_id, systemId), isAmong(switches.timestamp, named)))
    .all()
  return new Set(rows.map(({ timestamp }) => timestamp))
}

/** Which UUIDs of the file's switches are in use on this server. */
async function takenUuids({ tx }: Import, batch: readonly BundleSwitch[]): Promise<Set<string>> {
  const named = batch.flatMap(({ uuid }) => uuid ?? [])
  if (named.length === 0) return new Set()
  const rows = await tx
    .select({ uuid: switches.uuid })
    .from(switches)
    .where(isAmong(switches.uuid, named))
    .all()
  return new Set(rows.map(({ uuid }) => uuid))
}

/** As one JSON text: the number of SQLite's parameters is bounded. */
function isAmong(column: typeof switches.timestamp | typeof switches.uuid, values: unknown[]) {
  return sql`${column} in (select value from json_each(${JSON.stringify(values)}))`
}
