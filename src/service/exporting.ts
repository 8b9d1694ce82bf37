import { asc, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { autoproxies, groups, memberGuilds, members, switches, systemGuilds } from '../db/tables'
import {
  type FrontRow,
  frontHistoryCsv,
  frontHistoryIcs,
  presencesOf,
} from '../formats/frontHistory'
import { type Snapshot, writePluralkit } from '../formats/pluralkitWriter'
import { listAccounts } from './accounts'
import { listKept } from './archive'
import type { Deps } from './deps'
import { getOwnGroups } from './groups'
import { getOwnMembers } from './members'
import { getSettings } from './settings'
import { getSystemById } from './systems'

/** References to what a partial export holds; everything when both are null. */
export interface ExportChoice {
  members: string[] | null
  groups: string[] | null
}

/** Everything of a system as a file that PluralKit takes too, in chunks of text. */
export async function exportSystem(
  deps: Deps,
  systemId: number,
  choice: ExportChoice = { members: null, groups: null },
): Promise<string[]> {
  const snapshot = await deps.snapshot((db) => takeSnapshot(deps, db, systemId, choice))
  return [...writePluralkit(snapshot)]
}

/** One row per unbroken presence of a member. */
export async function exportFrontHistory(
  deps: Deps,
  systemId: number,
  format: 'csv' | 'ics',
): Promise<string> {
  return deps.snapshot(async (db) => {
    const { name } = await getSystemById(db, systemId)
    const rows = await membersOf(db, systemId)
    const names = new Map(rows.map((row) => [row.hid, row.display_name ?? row.name]))
    const history = (await switchesOf(db, systemId)).toReversed()
    const presences = presencesOf(history).map(
      ({ member, start, end }): FrontRow => ({
        start,
        end,
        member_id: member,
        member: names.get(member) ?? member,
      }),
    )
    return format === 'csv'
      ? frontHistoryCsv(presences)
      : frontHistoryIcs(presences, deps.now(), name ?? 'Front history')
  })
}

async function takeSnapshot(
  deps: Deps,
  db: Db,
  systemId: number,
  choice: ExportChoice,
): Promise<Snapshot> {
  const chosenGroups = choice.groups && (await getOwnGroups(db, systemId, choice.groups))
  const chosenMembers = choice.members && (await getOwnMembers(db, systemId, choice.members))
  const isPart = chosenGroups !== null || chosenMembers !== null
  const groupIds = new Set(chosenGroups?.map(({ id }) => id))
  const allGroups = await groupsOf(db, systemId)
  const keptGroups = allGroups.filter(({ row }) => !isPart || groupIds.has(row.id))
  const hids = new Set([
    ...(chosenMembers ?? []).map(({ hid }) => hid),
    ...keptGroups.flatMap(({ inside }) => inside),
  ])
  const isChosen = (hid: string) => !isPart || hids.has(hid)
  const people = (await membersOf(db, systemId)).filter(({ hid }) => isChosen(hid))
  const hidOf = new Map(people.map(({ id, hid }) => [id, hid]))
  return {
    exportedAt: deps.now(),
    system: await getSystemById(db, systemId),
    settings: await getSettings(db, systemId),
    accounts: await listAccounts(db, systemId),
    members: people,
    groups: keptGroups.map(({ row, inside }) => ({ ...row, members: inside.filter(isChosen) })),
    switches: (await switchesOf(db, systemId)).map((one) => ({
      ...one,
      members: one.members.filter(isChosen),
    })),
    systemGuilds: await db
      .select()
      .from(systemGuilds)
      .where(eq(systemGuilds.system_id, systemId))
      .orderBy(systemGuilds.guild_id)
      .all(),
    memberGuilds: (await memberGuildsOf(db, systemId)).flatMap(({ member_id, ...row }) => {
      const member = hidOf.get(member_id)
      return member === undefined ? [] : [{ ...row, member }]
    }),
    autoproxy: (await autoproxiesOf(db, systemId)).map(({ autoproxy_member, ...row }) => ({
      ...row,
      autoproxy_member: hidOf.get(autoproxy_member ?? 0) ?? null,
    })),
    kept: isPart ? {} : await listKept(db, systemId),
  }
}

async function membersOf(db: Db, systemId: number) {
  return await db
    .select()
    .from(members)
    .where(eq(members.system_id, systemId))
    .orderBy(asc(members.id))
    .all()
}

async function groupsOf(db: Db, systemId: number) {
  const rows = await db
    .select({
      row: groups,
      inside: sql<string>`(
        select json_group_array(m.hid order by m.id)
        from group_members g join members m on m.id = g.member_id where g.group_id = groups.id
      )`,
    })
    .from(groups)
    .where(eq(groups.system_id, systemId))
    .orderBy(asc(groups.id))
    .all()
  return rows.map(({ row, inside }) => ({ row, inside: JSON.parse(inside) as string[] }))
}

/** Newest first. */
async function switchesOf(db: Db, systemId: number) {
  const rows = await db
    .select({
      uuid: switches.uuid,
      timestamp: switches.timestamp,
      inside: sql<string>`(
        select json_group_array(m.hid order by s.position)
        from switch_members s join members m on m.id = s.member_id
        where s.switch_id = switches.id
      )`,
    })
    .from(switches)
    .where(eq(switches.system_id, systemId))
    .orderBy(desc(switches.timestamp))
    .all()
  return rows.map(({ inside, ...row }) => ({ ...row, members: JSON.parse(inside) as string[] }))
}

async function memberGuildsOf(db: Db, systemId: number) {
  const rows = await db
    .select({ row: memberGuilds })
    .from(memberGuilds)
    .innerJoin(members, eq(members.id, memberGuilds.member_id))
    .where(eq(members.system_id, systemId))
    .orderBy(memberGuilds.member_id, memberGuilds.guild_id)
    .all()
  return rows.map(({ row }) => row)
}

async function autoproxiesOf(db: Db, systemId: number) {
  return await db
    .select()
    .from(autoproxies)
    .where(eq(autoproxies.system_id, systemId))
    .orderBy(autoproxies.guild_id)
    .all()
}
