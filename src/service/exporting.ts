import { asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/handle'
import { autoproxies, groups, memberGuilds, members, systemGuilds } from '../db/tables'
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
import { type PastSwitch, pageOfSwitches } from './switches'
import { getSystemById } from './systems'
import { takeTurns } from './turns'

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
  return writeInTurns(writePluralkit(snapshot))
}

/** One row per unbroken presence of a member, in chunks of text. */
export async function exportFrontHistory(
  deps: Deps,
  systemId: number,
  format: 'csv' | 'ics',
): Promise<string[]> {
  const { name, people, history } = await deps.snapshot(async (db) => ({
    name: (await getSystemById(db, systemId)).name,
    people: await membersOf(db, systemId),
    history: await switchesOf(db, systemId),
  }))
  const names = new Map(people.map((row) => [row.hid, row.display_name ?? row.name]))
  const rows = presencesOf(history.reverse()).map(
    ({ member, start, end }): FrontRow => ({
      start,
      end,
      member_id: member,
      member: names.get(member) ?? member,
    }),
  )
  return writeInTurns(
    format === 'csv'
      ? frontHistoryCsv(rows)
      : frontHistoryIcs(rows, deps.now(), name ?? 'Front history'),
  )
}

/** A long history takes its time to write, in which others want to be served. */
async function writeInTurns(pieces: Iterable<string>): Promise<string[]> {
  const giveWay = takeTurns()
  const chunks: string[] = []
  for (const chunk of pieces) {
    chunks.push(chunk)
    await giveWay()
  }
  return chunks
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
    autoproxy: (await autoproxiesOf(db, systemId)).flatMap(({ autoproxy_member: id, ...row }) => {
      const member = hidOf.get(id ?? 0) ?? null
      // One that speaks for a member who stays behind means nothing elsewhere.
      return id !== null && member === null ? [] : [{ ...row, autoproxy_member: member }]
    }),
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

const PAGE = 2000

/** Newest first; a page at a time, between which others have their turn. */
async function switchesOf(db: Db, systemId: number): Promise<PastSwitch[]> {
  const giveWay = takeTurns()
  const all: PastSwitch[] = []
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await pageOfSwitches(db, systemId, before, PAGE)
    all.push(...page)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return all
    before = last.timestamp
    await giveWay()
  }
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
