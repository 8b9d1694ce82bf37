import { eq, getTableColumns } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { autoproxies, groupMembers, memberGuilds, systemGuilds } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleGroups, visibleMembers } from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'
import { MAX_SWITCHES } from '../../formats/bundle'
import {
  type FrontRow,
  frontHistoryCsv,
  frontHistoryIcs,
  type Presence,
  presencesOf,
} from '../../formats/frontHistory'
import { type Snapshot, writePluralkit } from '../../formats/pluralkit/write'
import { writePluralport } from '../../formats/pluralport/write'
import { requireSystem, type Viewer } from '../../model/privacy'
import type { Instant } from '../../model/time'
import type { ExportFormat, ExportList } from '../../model/transfer'
import { accountsOf } from '../accounts'
import type { Deps } from '../deps'
import { groupRepository } from '../groups'
import { historyInPages, type PastSwitch, skipSwitches } from '../history'
import { noConnection, type WaitingClient } from '../longReads'
import { memberRepository } from '../members'
import { findPreferences } from '../preferences'
import { getColorHex, getSettings } from '../settings'
import { getSystemById } from '../systems'
import { archivedPages } from './archive'
import { exportExt } from './exportExt'

/** A file as its bytes. */
export type ExportFile = Uint8Array<ArrayBuffer>

/** References to the members and groups of a partial export; both null for a full one. */
export interface ExportChoice {
  /** PluralKit's format by default. */
  format?: ExportFormat
  members: string[] | null
  groups: string[] | null
  /** Lists that a partial export includes although they belong to the whole system. */
  with?: ReadonlySet<ExportList> | null
}

export interface ExportPart {
  file: ExportFile
  /** True if another part follows, with older switches or with long lists. */
  hasMore: boolean
}

/**
 * Writers of the formats, with the number of switches in a file. A switch of PluralPort takes ten
 * times the space, and each part must stay below the limit of an import.
 */
const formats: Record<
  ExportFormat,
  { write: (snapshot: Snapshot) => AsyncGenerator<string>; maxSwitches: number }
> = {
  pluralkit: { write: writePluralkit, maxSwitches: MAX_SWITCHES },
  pluralport: { write: writePluralport, maxSwitches: 20_000 },
}

/**
 * Exports a system as a file that PluralKit accepts, too, or as a PluralPort file. Importers limit
 * the switches and the size of a file, so a longer history is split into parts, and parts with long
 * lists follow; each part is a complete file with the other data.
 */
export async function exportSystem(
  deps: Deps,
  viewer: Viewer,
  choice: ExportChoice = { members: null, groups: null },
  part = 1,
  client: WaitingClient = noConnection,
): Promise<ExportPart> {
  const { signal } = client
  return readOwn(deps, viewer, client, async (db, systemId) => {
    const { write, maxSwitches } = formats[choice.format ?? 'pluralkit']
    const range = await findPart(db, systemId, part, maxSwitches, signal)
    const { hasMore, ...snapshot } = await takeSnapshot(
      deps,
      db,
      systemId,
      choice,
      part,
      range,
      signal,
    )
    return { file: await writeFile(write(snapshot), signal), hasMore }
  })
}

/** Runs an export in the queue of long reads, on one snapshot. */
async function readOwn<T>(
  { longReads, snapshot }: Deps,
  viewer: Viewer,
  client: WaitingClient,
  read: (db: Db, systemId: number) => Promise<T>,
): Promise<T> {
  const systemId = requireSystem(viewer, 'export')
  const request = { systemId, isOwn: true, ...client }
  return longReads(request, () => snapshot((db) => read(db, systemId)))
}

/** Finds the switches of a part, or its number among the parts with long lists. */
async function findPart(
  db: Db,
  systemId: number,
  part: number,
  maxSwitches: number,
  signal: AbortSignal | null,
): Promise<PartRange> {
  const skip = (from: Instant, count: number) => skipSwitches(db, systemId, from, count, signal)
  let before = Infinity
  for (let at = 1; at < part; at++) {
    const last = await skip(before, maxSwitches)
    if (last === null || (await skip(last, 1)) === null) return { lists: part - at - 1 }
    before = last
  }
  const last = await skip(before, maxSwitches)
  return { before, maxSwitches, hasMore: last !== null && (await skip(last, 1)) !== null }
}

/** Switches of a part, or the number of a part with long lists, from 0. */
type PartRange = { before: Instant; maxSwitches: number; hasMore: boolean } | { lists: number }

/** Exports the front history, with one row per uninterrupted presence of a member. */
export async function exportFrontHistory(
  deps: Deps,
  viewer: Viewer,
  format: 'csv' | 'ics',
  client: WaitingClient = noConnection,
): Promise<ExportFile> {
  const { signal } = client
  return readOwn(deps, viewer, client, async (db, systemId) => {
    const { name } = await getSystemById(db, systemId)
    const members = await membersOf(db, systemId)
    const names = new Map(members.map((row) => [row.hid, row.display_name ?? row.name]))
    const presences = await presencesOf(historyInPages(db, systemId, 'oldest', signal))
    const rows = withNames(presences, names)
    return writeFile(
      format === 'csv'
        ? frontHistoryCsv(rows)
        : frontHistoryIcs(rows, deps.now(), name ?? 'Front history'),
      signal,
    )
  })
}

function* withNames(
  presences: Iterable<Presence>,
  names: Map<string, string>,
): Generator<FrontRow> {
  for (const { member: hid, start, end } of presences)
    yield { start, end, member_id: hid, member: names.get(hid) ?? hid }
}

/** Writes a file and yields to the event loop in between, because a long history takes a while. */
async function writeFile(
  pieces: AsyncIterable<string> | Iterable<string>,
  signal: AbortSignal | null,
): Promise<ExportFile> {
  const yieldIfDue = createYielder(undefined, signal)
  const file = createFile()
  for await (const piece of pieces) {
    file.write(piece)
    await yieldIfDue()
  }
  return file.end()
}

/** Creates a file in memory that is written piece by piece. */
export function createFile() {
  // A growing buffer, because a list of strings would take several times the memory.
  const sink = new Bun.ArrayBufferSink()
  sink.start({ asUint8Array: true })
  let size = 0
  return {
    write(text: string) {
      size += sink.write(text)
    },
    /** Number of bytes written so far. */
    get size() {
      return size
    },
    end: () => sink.end() as ExportFile,
  }
}

async function takeSnapshot(
  deps: Deps,
  db: Db,
  systemId: number,
  choice: ExportChoice,
  part: number,
  range: PartRange,
  signal: AbortSignal | null,
): Promise<Snapshot & { hasMore: boolean }> {
  const chosenGroups =
    choice.groups && (await groupRepository.getOwnAll(db, systemId, choice.groups))
  const chosenMembers =
    choice.members && (await memberRepository.getOwnAll(db, systemId, choice.members))
  const isPart = chosenGroups !== null || chosenMembers !== null
  const groupIds = new Set(chosenGroups?.map(({ id }) => id))
  const allGroups = await groupsOf(db, systemId)
  const exportedGroups = allGroups.filter(({ row }) => !isPart || groupIds.has(row.id))
  const hids = new Set([
    ...(chosenMembers ?? []).map(({ hid }) => hid),
    ...exportedGroups.flatMap(({ hids }) => hids),
  ])
  const isChosen = (hid: string) => !isPart || hids.has(hid)
  const exportedMembers = (await membersOf(db, systemId)).filter(({ hid }) => isChosen(hid))
  const ofSystem = { system: systemId }
  const hidOf = new Map(exportedMembers.map(({ id, hid }) => [id, hid]))
  const extChoice = isPart
    ? {
        members: new Set(exportedMembers.map(({ uuid }) => uuid)),
        groups: new Set(exportedGroups.map(({ row }) => row.uuid)),
        with: choice.with ?? new Set<string>(),
      }
    : null
  const extRange = part === 1 ? 'first' : 'lists' in range ? range : 'switches'
  const { ext, hasMore } = await exportExt(
    db,
    systemId,
    extChoice,
    extRange,
    createYielder(undefined, signal),
  )
  return {
    hasMore: ('hasMore' in range && range.hasMore) || hasMore,
    exportedAt: deps.now(),
    system: await getSystemById(db, systemId),
    settings: await getSettings(deps, db, systemId),
    colorHex: await getColorHex(db, systemId),
    accounts: await accountsOf(db, systemId),
    members: exportedMembers,
    groups: exportedGroups.map(({ row, hids }) => ({ ...row, members: hids.filter(isChosen) })),
    switches:
      'lists' in range
        ? []
        : filterMembers(
            historyInPages(db, systemId, 'newest', signal, range.before, range.maxSwitches),
            isChosen,
          ),
    systemGuilds: await systemGuildRows(db).all(ofSystem),
    memberGuilds: (await memberGuildRows(db).all(ofSystem)).flatMap(({ member_id, ...row }) => {
      const member = hidOf.get(member_id)
      return member === undefined ? [] : [{ ...row, member }]
    }),
    autoproxy: (await autoproxyRows(db).all(ofSystem)).flatMap(
      ({ autoproxy_member: id, ...row }) => {
        const member = hidOf.get(id ?? 0) ?? null
        // Autoproxy for a member that is not exported is useless elsewhere.
        return id !== null && member === null ? [] : [{ ...row, autoproxy_member: member }]
      },
    ),
    preferences: isPart ? null : await findPreferences(db, systemId),
    ext,
    kept: isPart || part > 1 ? [] : archivedPages(db, systemId),
  }
}

export async function membersOf(db: Db, systemId: number) {
  return await memberRows(db).all({ system: systemId })
}

async function groupsOf(db: Db, systemId: number) {
  const memberships = await membershipRows(db).all({ system: systemId })
  const hidsOf = Map.groupBy(memberships, ({ group_id }) => group_id)
  const rows = await groupRows(db).all({ system: systemId })
  return rows.map((row) => ({ row, hids: (hidsOf.get(row.id) ?? []).map(({ hid }) => hid) }))
}

async function* filterMembers(
  pages: AsyncIterable<PastSwitch[]>,
  isChosen: (hid: string) => boolean,
): AsyncGenerator<PastSwitch[]> {
  for await (const page of pages)
    yield page.map((one) => ({ ...one, members: one.members.filter(isChosen) }))
}

const memberRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(visibleMembers)
    .where(eq(visibleMembers.system_id, system))
    .orderBy(visibleMembers.id),
)

const groupRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(visibleGroups)
    .where(eq(visibleGroups.system_id, system))
    .orderBy(visibleGroups.id),
)

const membershipRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ group_id: groupMembers.group_id, hid: visibleMembers.hid })
    .from(visibleGroups)
    .innerJoin(groupMembers, eq(groupMembers.group_id, visibleGroups.id))
    .innerJoin(visibleMembers, eq(visibleMembers.id, groupMembers.member_id))
    .where(eq(visibleGroups.system_id, system))
    .orderBy(visibleMembers.id),
)

const systemGuildRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(systemGuilds)
    .where(eq(systemGuilds.system_id, system))
    .orderBy(systemGuilds.guild_id),
)

const memberGuildRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select(getTableColumns(memberGuilds))
    .from(memberGuilds)
    .innerJoin(visibleMembers, eq(visibleMembers.id, memberGuilds.member_id))
    .where(eq(visibleMembers.system_id, system))
    .orderBy(memberGuilds.member_id, memberGuilds.guild_id),
)

const autoproxyRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(autoproxies)
    .where(eq(autoproxies.system_id, system))
    .orderBy(autoproxies.guild_id),
)
