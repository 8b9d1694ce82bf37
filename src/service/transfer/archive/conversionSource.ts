import type { Repair } from '../../../formats/bundle'
import {
  type ConvertibleCollection,
  convertibleCollections,
  writeFile,
} from '../../../formats/simplyplural/archive'
import type { AppRow } from '../../../formats/simplyplural/rows'
import { reportReason } from '../../../model/core/reasonMessages'
import type { Group } from '../../../model/groups/group'
import type { Member } from '../../../model/members/member'
import type { ExtPart } from '../../../model/transfer/transfer'
import { getSettings } from '../../../store/systems/settingRows'
import { groupsOfSystem, membersOfSystem } from '../../../store/transfer/importEntityRows'
import { findOrigins } from '../../../store/transfer/originRows'
import type { Deps } from '../../core/deps'
import {
  type ArchivedEntity,
  matchArchived,
  matchLongDescriptions,
  nameOfRow,
} from './conversionMatch'
import { loadSourceRows, newestVersion, type SourceRow, type SourceRows } from './convertibleRows'
import { APP, keyOf, listPlaceholders } from './placeholders'

/** Rows that a conversion reads, and the members and groups that it was matched with. */
export interface ArchiveSource {
  /** All rows of convertible collections. */
  readonly rows: readonly SourceRow[]
  /** Rows that the file contains, and older versions of them. */
  readonly read: ReadonlySet<SourceRow>
  /** Rows that stay because their member or group was not found. */
  readonly unmatched: ReadonlySet<SourceRow>
  /** Rows of long descriptions that the file contains, by the UUIDs of members. */
  readonly descriptions: ReadonlyMap<string, SourceRow>
  /** Members and groups here by the `originKey` of their rows. */
  readonly members: ReadonlyMap<string, Member>
  readonly groups: ReadonlyMap<string, Group>
  /** Keys of members and groups that have no archived row with their values. */
  readonly placeholders: ReadonlySet<string>
  readonly repairs: readonly Repair[]
  readonly leftOut: ReadonlyMap<ExtPart, number>
  /** Rows as a file of Simply Plural. */
  file(): Iterable<Uint8Array>
}

interface Entity extends ArchivedEntity {
  readonly row: SourceRow
}

/** Reads the archive of a system, and finds its members and groups. */
export async function readSource(deps: Deps, systemId: number): Promise<ArchiveSource> {
  const { db } = deps
  const source = await loadSourceRows(db, systemId)
  const people = [...entitiesOf(source, 'members'), ...entitiesOf(source, 'frontStatuses')]
  const groupRows = entitiesOf(source, 'groups')
  const entities = [...people, ...groupRows].map(({ row, app }) => ({
    app: APP,
    collection: row.collection,
    id: app._id,
  }))
  const origins = await findOrigins(db, systemId, entities)
  const existing = {
    members: await membersOfSystem(db, systemId),
    groups: await groupsOfSystem(db, systemId),
  }
  const members = matchArchived(existing.members, people, origins)
  const groups = matchArchived(existing.groups, groupRows, origins)
  const missing = [...people, ...groupRows].filter(
    ({ key }) => !members.has(key) && !groups.has(key),
  )
  const foundIds = new Set(people.flatMap(({ key, app }) => (members.has(key) ? app._id : [])))
  const lost = findRowsOf(
    source,
    missing.filter(({ row, app }) => row.collection !== 'groups' && !foundIds.has(app._id)),
  )
  const unmatched = new Set([...missing.map(({ row }) => row), ...lost.rows])
  const descriptions = await matchLongDescriptions(
    db,
    systemId,
    source.descriptions,
    namesOf(people, members),
  )
  const read = new Set(rowsToRead(source, unmatched))
  const texts = new Map([...descriptions].map(([uuid, { text }]) => [uuid, text]))
  const placeholders = await listPlaceholders(db, systemId, source, existing, members, texts)
  for (const row of placeholders.read) read.add(row)
  const { timezone } = await getSettings(deps, db, systemId)
  const groupsById = new Map(groupRows.map(({ app }) => [app._id, app]))
  const textOf = (collection: string, { _id }: AppRow) =>
    texts.get(members.get(keyOf(collection, _id))?.uuid ?? '')
  return {
    rows: source.all,
    read,
    unmatched,
    descriptions: new Map([...descriptions].map(([uuid, { row }]) => [uuid, row])),
    members: new Map([...members, ...placeholders.members]),
    groups: new Map([...groups, ...placeholders.groups]),
    placeholders: new Set([...placeholders.members.keys(), ...placeholders.groups.keys()]),
    repairs: missing.map((entity) => describeMissing(entity, lost.counts.get(entity.app._id) ?? 0)),
    leftOut: countByPart(lost.rows),
    file: () =>
      writeFile([
        ['private', [ownerLine(timezone)]],
        ...convertibleCollections
          .filter((collection) => collection !== 'longTexts' && collection !== 'defaultPrivacy')
          .map((collection) => [collection, linesOf(collection)] as const),
      ]),
  }

  function ownerLine(location: string | null): string {
    const [row] = source.newest.defaultPrivacy.values()
    const defaultPrivacy = row && { defaultPrivacy: JSON.parse(row.content) }
    return JSON.stringify({ _id: 'owner', ...(location && { location }), ...defaultPrivacy })
  }

  function* linesOf(collection: ConvertibleCollection): Generator<string> {
    for (const row of source.newest[collection].values()) {
      if (!read.has(row)) continue
      const app = source.contents.get(row)
      const desc = app && textOf(collection, app)
      if (app && collection === 'groups') yield JSON.stringify(placeGroup(app, groupsById, groups))
      else yield desc === undefined ? row.content : JSON.stringify({ ...app, desc })
    }
    for (const placeholder of placeholders.rows[collection] ?? []) yield JSON.stringify(placeholder)
  }
}

function entitiesOf(
  { newest, contents }: SourceRows,
  collection: 'members' | 'frontStatuses' | 'groups',
): Entity[] {
  return [...newest[collection].values()].flatMap((row) => {
    const app = contents.get(row)
    return app ? { key: keyOf(collection, app._id), app, row } : []
  })
}

/** Lists the rows that name members which were not found, with their number by member. */
function findRowsOf(source: SourceRows, lost: readonly Entity[]) {
  const ids = new Set(lost.map(({ app }) => app._id))
  const counts = new Map<string, number>()
  const rows: SourceRow[] = []
  for (const [row, named] of source.memberIds) {
    const absent = new Set(named.filter((id) => ids.has(id)))
    if (absent.size === 0 || newestVersion(source, row) !== row) continue
    rows.push(row)
    for (const id of absent) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return { rows, counts }
}

/** Lists the newest versions of rows that can be converted, and the older ones. */
function rowsToRead(source: SourceRows, unmatched: ReadonlySet<SourceRow>): SourceRow[] {
  return source.all.filter((row) => {
    const newest = newestVersion(source, row)
    return newest !== undefined && !unmatched.has(newest)
  })
}

/** Returns the members by the names that they have in the archive. */
function namesOf(people: readonly Entity[], members: ReadonlyMap<string, Member>) {
  const named = new Map<string, Member[]>()
  for (const { key, app } of people) {
    const member = members.get(key)
    const same = named.get(nameOfRow(app)) ?? []
    if (member) named.set(nameOfRow(app), [...same, member])
  }
  return named
}

/** Parts of the report that count rows whose member was not found. */
const partOf: Partial<Record<ConvertibleCollection, ExtPart>> = {
  notes: 'notes',
  boardMessages: 'posts',
  chatMessages: 'posts',
  frontHistory: 'front_notes',
}

function countByPart(rows: readonly SourceRow[]): Map<ExtPart, number> {
  const counts = new Map<ExtPart, number>()
  for (const { collection } of rows) {
    const part = partOf[collection]
    if (part) counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  return counts
}

function describeMissing({ row, app }: Entity, named: number): Repair {
  const kind = row.collection === 'groups' ? 'group' : 'member'
  return {
    kind,
    name: nameOfRow(app),
    field: row.collection,
    was: null,
    now: null,
    ...reportReason(`no_matching_${kind}`),
    left_out: 1 + named,
  }
}

/**
 * Returns the row of a group without its members, which were imported before. A parent that was
 * deleted here gives its children to its own parent.
 */
function placeGroup(
  { members: _, ...row }: AppRow,
  byId: ReadonlyMap<string, AppRow>,
  groups: ReadonlyMap<string, Group>,
): object {
  const visited = new Set<unknown>()
  let { parent } = row
  while (typeof parent === 'string' && !groups.has(keyOf('groups', parent))) {
    const above = byId.get(parent)
    if (!above || visited.has(parent)) break
    visited.add(parent)
    parent = above.parent
  }
  return { ...row, parent }
}
