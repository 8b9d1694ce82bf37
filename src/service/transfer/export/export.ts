import type { Db } from '../../../db/types'
import { createYielder } from '../../../db/yieldToEventLoop'
import { MAX_SWITCHES } from '../../../formats/bundle'
import {
  type FrontRow,
  frontHistoryCsv,
  frontHistoryIcs,
  type Presence,
  presencesOf,
} from '../../../formats/frontHistory'
import { type Snapshot, writePluralkit } from '../../../formats/pluralkit/write'
import { writePluralport } from '../../../formats/pluralport/write'
import { requireSystem, type Viewer } from '../../../model/core/privacy'
import type { Instant } from '../../../model/core/time'
import type { ExportPosition, ListPosition } from '../../../model/transfer/exportPosition'
import type { ExportFormat, ExportList } from '../../../model/transfer/transfer'
import { accountsOf } from '../../../store/access/accountRows'
import { findPreferences } from '../../../store/access/preferenceRows'
import { getOwnEntities } from '../../../store/core/entityRows'
import { historyInPages, type PastSwitch, skipSwitches } from '../../../store/front/pastSwitches'
import { groupRowKind } from '../../../store/groups/groupRows'
import { memberRowKind } from '../../../store/members/memberRows'
import { getColorHex, getSettings } from '../../../store/systems/settingRows'
import { getSystemById } from '../../../store/systems/systemRows'
import { archivedPages } from '../../../store/transfer/archiveStaging'
import {
  autoproxiesOf,
  groupsOf,
  memberGuildsOf,
  membersOf,
  systemGuildsOf,
} from '../../../store/transfer/exportRows'
import type { Deps } from '../../core/deps'
import { noConnection, type WaitingClient } from '../../core/longReads'
import { type ExtRange, exportExt } from './exportExt'

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
  /** Where the next part begins, with older switches or with long lists; null after the last one. */
  next: ExportPosition | null
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
 * lists follow; each part is a complete file with the other data. A part is named by its position,
 * or by its number, for which the parts before it are read, too.
 */
export async function exportSystem(
  deps: Deps,
  viewer: Viewer,
  choice: ExportChoice = { members: null, groups: null },
  at: number | ExportPosition = 1,
  client: WaitingClient = noConnection,
): Promise<ExportPart> {
  const { signal } = client
  return readOwn(deps, viewer, client, async (db, systemId) => {
    const { write, maxSwitches } = formats[choice.format ?? 'pluralkit']
    const skip = (from: Instant, count: number) => skipSwitches(db, systemId, from, count, signal)
    const range = await findRange(skip, at, maxSwitches)
    const { nextLists, ...snapshot } = await takeSnapshot(deps, db, systemId, choice, range, signal)
    const switches = range.switches?.next ?? null
    const next =
      switches === null && nextLists === null
        ? null
        : { part: range.part + 1, switches, lists: nextLists }
    return { file: await writeFile(write(snapshot), signal), next }
  })
}

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

/** What a part contains: switches, and what of the extension API. */
interface PartRange {
  readonly part: number
  /** Null in a part with long lists. */
  readonly switches: {
    readonly before: Instant
    readonly most: number
    /** Time before which those of the next part are; null if there are none. */
    readonly next: Instant | null
  } | null
  readonly ext: ExtRange
}

type SkipSwitches = (before: Instant, count: number) => Promise<Instant | null>

async function findRange(
  skip: SkipSwitches,
  at: number | ExportPosition,
  most: number,
): Promise<PartRange> {
  const nextOf = async (before: Instant) => {
    const last = await skip(before, most)
    return last !== null && (await skip(last, 1)) !== null ? last : null
  }
  const withSwitches = async (part: number, before: Instant, ext: ExtRange) => ({
    part,
    switches: { before, most, next: await nextOf(before) },
    ext,
  })
  if (typeof at === 'object') {
    const { part, switches, lists } = at
    if (switches !== null) return withSwitches(part, switches, { follows: lists })
    return { part, switches: null, ext: { at: lists ?? { lists: [], after: null } } }
  }
  let before = Infinity
  for (let part = 1; part < at; part++) {
    const next = await nextOf(before)
    if (next === null) return { part: at, switches: null, ext: { number: at - part - 1 } }
    before = next
  }
  return withSwitches(at, before, at === 1 ? 'first' : { follows: undefined })
}

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
  { part, switches, ext: extRange }: PartRange,
  signal: AbortSignal | null,
): Promise<Snapshot & { nextLists: ListPosition | null }> {
  const chosenGroups =
    choice.groups && (await getOwnEntities(db, groupRowKind, systemId, choice.groups))
  const chosenMembers =
    choice.members && (await getOwnEntities(db, memberRowKind, systemId, choice.members))
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
  const hidOf = new Map(exportedMembers.map(({ id, hid }) => [id, hid]))
  const extChoice = isPart
    ? {
        members: new Set(exportedMembers.map(({ uuid }) => uuid)),
        groups: new Set(exportedGroups.map(({ row }) => row.uuid)),
        with: choice.with ?? new Set<string>(),
      }
    : null
  const { ext, next: nextLists } = await exportExt(
    db,
    systemId,
    extChoice,
    extRange,
    createYielder(undefined, signal),
  )
  return {
    nextLists,
    exportedAt: deps.now(),
    system: await getSystemById(db, systemId),
    settings: await getSettings(deps, db, systemId),
    colorHex: await getColorHex(db, systemId),
    accounts: await accountsOf(db, systemId),
    members: exportedMembers,
    groups: exportedGroups.map(({ row, hids }) => ({ ...row, members: hids.filter(isChosen) })),
    switches: switches
      ? filterMembers(
          historyInPages(db, systemId, 'newest', signal, switches.before, switches.most),
          isChosen,
        )
      : [],
    systemGuilds: await systemGuildsOf(db, systemId),
    memberGuilds: (await memberGuildsOf(db, systemId)).flatMap(({ member_id, ...row }) => {
      const member = hidOf.get(member_id)
      return member === undefined ? [] : [{ ...row, member }]
    }),
    autoproxy: (await autoproxiesOf(db, systemId)).flatMap(({ autoproxy_member: id, ...row }) => {
      const member = hidOf.get(id ?? 0) ?? null
      // Autoproxy for a member that is not exported is useless elsewhere.
      return id !== null && member === null ? [] : [{ ...row, autoproxy_member: member }]
    }),
    preferences: isPart ? null : await findPreferences(db, systemId),
    ext,
    kept: isPart || part > 1 ? [] : archivedPages(db, systemId),
  }
}

async function* filterMembers(
  pages: AsyncIterable<PastSwitch[]>,
  isChosen: (hid: string) => boolean,
): AsyncGenerator<PastSwitch[]> {
  for await (const page of pages)
    yield page.map((row) => ({ ...row, members: row.members.filter(isChosen) }))
}
