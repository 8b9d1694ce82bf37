import { updateRow } from '../../../db/renderedJson'
import type { Db } from '../../../db/types'
import { hiddenIdentity } from '../../../db/visible'
import type { BundleGroup, BundleMember, Origin } from '../../../formats/bundle'
import { diff, type Identity, isEmptyPatch } from '../../../model/core/entity'
import { type ErrorName, error } from '../../../model/core/errors'
import type { Group, GroupDraft, GroupPatch, group } from '../../../model/groups/group'
import type { Member, MemberDraft, MemberPatch, member } from '../../../model/members/member'
import type { Tally } from '../../../model/transfer/transfer'
import {
  adoptEntity,
  availableParts,
  countEntities,
  updateEntity,
} from '../../../store/core/entityRows'
import type { GivenIdentity } from '../../../store/core/identityRows'
import { groupRowKind } from '../../../store/groups/groupRows'
import { memberRowKind } from '../../../store/members/memberRows'
import { getSettings } from '../../../store/systems/settingRows'
import {
  addGroupMembers,
  groupsOfSystem,
  memberIdsOfGroup,
  membersOfSystem,
} from '../../../store/transfer/importEntityRows'
import { originKey } from '../../../store/transfer/originRows'
import { insertGroup } from '../../groups/groups'
import { insertMember } from '../../members/members'
import { writeInBatches } from '../../systems/staging'
import type { Import, ImportReport, Match, MatchedEntities } from './importContext'

/** Matches members and groups of the file with existing rows, and counts the changes. */
export async function matchEntities(work: Import): Promise<void> {
  const { deps, report, options } = work
  await work.loadOrigins([...work.members, ...work.groups].flatMap(({ origin }) => origin ?? []))
  work.matched = await matchExisting(work, deps.db)
  const { members: matchedMembers, groups: matchedGroups } = work.matched
  await requireQuota(work, deps.db)
  for (const { incoming, found } of matchedMembers) {
    if (found) work.memberIds.set(incoming.key, found.id)
    if (!wants(work, 'members')) report.members.left_out += 1
    else if (found) count(report.members, changesOfMember(found, incoming.values))
    else {
      report.members.added += 1
      // Its row ID is known once it is written.
      work.memberIds.set(incoming.key, PENDING_ID)
    }
    await work.step()
  }
  let addedToExisting = 0
  for (const { incoming, found } of matchedGroups) {
    if (!wants(work, 'groups')) report.groups.left_out += 1
    else if (found) count(report.groups, changesOfGroup(found, incoming.values))
    else report.groups.added += 1
    if (wants(work, 'groups')) {
      const added = await countMemberships(work, incoming, found)
      if (found) addedToExisting += added
    }
    await work.step()
  }
  if (addedToExisting > MAX_ADDED_MEMBERSHIPS)
    throw error(
      'badRequest',
      `the file adds more than ${MAX_ADDED_MEMBERSHIPS.toLocaleString('en')} memberships to existing groups`,
    )
  if (options.dryRun) await planNames(work)
}

/** Memberships of existing groups cannot be staged, and the last transaction must be short. */
const MAX_ADDED_MEMBERSHIPS = 40_000

async function planNames(work: Import): Promise<void> {
  const { deps, report, matched } = work
  for (const part of ['members', 'groups'] as const)
    for (const { incoming, found } of wants(work, part) ? matched[part] : [])
      if (!found) {
        const free = await availableParts(deps.db, kinds[part], incoming)
        recordRename(report, nouns[part], incoming.values.name, incoming, free)
      }
}

/** Writes new members and groups, with the members of new groups, to the staging system. */
export async function stageEntities(work: Import): Promise<void> {
  const { deps, matched, memberIds, options } = work
  const isNew = <I, R>({ found }: Match<I, R>) => found === null
  const newMembers = wants(work, 'members') ? matched.members.filter(isNew) : []
  const newGroups = wants(work, 'groups') ? matched.groups.filter(isNew) : []
  const isNeeded = work.systemId === null || newMembers.length + newGroups.length > 0
  if (!isNeeded || options.dryRun) return
  const staging = await work.staging()
  const { stagingSystemId } = staging
  const now = deps.now()
  await writeInBatches(deps, staging, newMembers, async (tx, { incoming: { key, values } }) => {
    const draft = { ...values, created: values.created ?? now }
    const { id } = await insertMember(tx, stagingSystemId, draft, hiddenIdentity())
    memberIds.set(key, id)
  })
  await writeInBatches(deps, staging, newGroups, async (tx, { incoming }) => {
    const draft = { ...incoming.values, created: incoming.values.created ?? now }
    const { id } = await insertGroup(tx, stagingSystemId, draft, hiddenIdentity())
    work.groupIds.set(incoming.key, id)
  })
  // Not before, because a batch that is run again inserts other rows.
  const memberships = newGroups.map(
    ({ incoming }) => [work.groupIds.get(incoming.key) ?? 0, memberIdsOf(work, incoming)] as const,
  )
  await writeInBatches(deps, staging, memberships, async (tx, [id, members]) => {
    await addGroupMembers(tx, id, members)
  })
}

/** Throws if another request created, renamed or deleted a matching row since `matchEntities`. */
export async function requireUnchanged(work: Import, tx: Db): Promise<void> {
  const before = work.matched
  work.matched = await matchExisting(work, tx)
  const isSame = <I, R extends Identity>(then: Match<I, R>[], now: Match<I, R>[]) =>
    then.every(({ found }, at) => found?.id === now[at]?.found?.id)
  const { members, groups } = work.matched
  if (!isSame(before.members, members) || !isSame(before.groups, groups))
    throw error('conflict', 'members or groups were changed by another request; import again')
  await requireQuota(work, tx)
}

/**
 * Assigns new members and groups to their system, and updates existing ones. Returns whether any
 * existing row changed.
 */
export async function applyEntities(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { matched } = work
  let isChanged = false
  for (const { incoming, found } of wants(work, 'members') ? matched.members : []) {
    if (!found) {
      await assignToSystem(work, tx, systemId, 'members', incoming)
    } else {
      const changed = changesOfMember(found, incoming.values)
      if (!isEmptyPatch(changed)) {
        // A large import renders no JSON here, to keep its last transaction short.
        if (work.writtenTags !== null) await updateRow.members(tx, found.id, changed)
        else await updateEntity(tx, memberRowKind, found, changed)
        isChanged = true
      }
    }
    await work.step(0)
  }
  for (const { incoming, found } of wants(work, 'groups') ? matched.groups : []) {
    if (!found) {
      await assignToSystem(work, tx, systemId, 'groups', incoming)
    } else {
      const changed = changesOfGroup(found, incoming.values)
      if (!isEmptyPatch(changed)) await updateEntity(tx, groupRowKind, found, changed)
      // An import adds members to groups and never removes any.
      const added = await addGroupMembers(tx, found.id, memberIdsOf(work, incoming))
      if (added > 0 || !isEmptyPatch(changed)) isChanged = true
    }
    await work.step(0)
  }
  return isChanged
}

const kinds = { members: memberRowKind, groups: groupRowKind }
const nouns = { members: 'member', groups: 'group' }

/** Assigns a staged row to its system, with the IDs of the file as far as they are free. */
async function assignToSystem(
  { report, memberIds, groupIds, assignedUuids }: Import,
  tx: Db,
  systemId: number,
  part: 'members' | 'groups',
  incoming: BundleMember | BundleGroup,
): Promise<void> {
  const id = (part === 'members' ? memberIds : groupIds).get(incoming.key) ?? 0
  const assigned = await adoptEntity(tx, kinds[part], systemId, id, incoming)
  assignedUuids.set(`${part} ${incoming.key}`, assigned.uuid)
  recordRename(report, nouns[part], incoming.values.name, incoming, assigned)
}

/** Reports IDs that were not free, with their replacements. */
export function recordRename(
  { renamed }: ImportReport,
  kind: string,
  name: string | null,
  given: GivenIdentity,
  assigned: GivenIdentity,
): void {
  for (const key of ['hid', 'uuid'] as const)
    if (given[key] && given[key] !== assigned[key])
      renamed.push({ kind, name, from: given[key], to: assigned[key] ?? '' })
}

export function wants({ options }: Import, part: 'members' | 'groups'): boolean {
  return options.only?.has(part) ?? true
}

async function matchExisting(
  { systemId, members: incomingMembers, groups: incomingGroups, originTargets }: Import,
  db: Db,
): Promise<MatchedEntities> {
  const system = systemId ?? 0
  return {
    members: matchRows(await membersOfSystem(db, system), incomingMembers, originTargets),
    groups: matchRows(await groupsOfSystem(db, system), incomingGroups, originTargets),
  }
}

/**
 * Matches entries of the file with existing rows, by origin, then UUID, then short ID, then exact name. Each row
 * is matched at most once, and a match by name never takes a row that another entry matches by ID.
 */
function matchRows<
  R extends Identity & { name: string },
  I extends GivenIdentity & { values: { name: string }; origin?: Origin },
>(
  existing: readonly R[],
  incoming: readonly I[],
  origins: ReadonlyMap<string, string>,
): Match<I, R>[] {
  const found = new Map<I, R>()
  const used = new Set<R>()
  const pair = (one: I, row: R | undefined) => {
    if (!row || found.has(one) || used.has(row)) return
    found.set(one, row)
    used.add(row)
  }
  const byUuid = new Map(existing.map((row) => [row.uuid, row]))
  for (const one of incoming)
    if (one.origin) pair(one, byUuid.get(origins.get(originKey(one.origin)) ?? ''))
  const byOrigin = new Set(found.keys())
  for (const one of incoming) pair(one, byUuid.get(one.uuid ?? ''))
  const byHid = new Map(existing.map((row) => [row.hid, row]))
  for (const one of incoming) pair(one, byHid.get(one.hid ?? ''))
  const byName = Map.groupBy(existing, (row) => row.name)
  for (const one of incoming)
    pair(
      one,
      byName.get(one.values.name)?.find((row) => !used.has(row)),
    )
  return incoming.map((one) => {
    const row = found.get(one)
    if (!row) return { incoming: one, found: null }
    // What was imported before keeps the name that it has here.
    const { name } = byOrigin.has(one) ? row : one.values
    return { incoming: { ...one, values: { ...one.values, name } }, found: row }
  })
}

/** Throws if the system would have too many rows, including those that are not in the file. */
async function requireQuota(work: Import, db: Db): Promise<void> {
  const { systemId, matched, deps } = work
  const { quotas } = deps
  const { member_limit, group_limit } =
    systemId === null
      ? { member_limit: quotas.members, group_limit: quotas.groups }
      : await getSettings(deps, db, systemId)
  const check = async (part: 'members' | 'groups', limit: number, name: ErrorName) => {
    const added = matched[part].filter(({ found }) => found === null).length
    if (added === 0 || !wants(work, part)) return
    const before = systemId === null ? 0 : (await countEntities(db, kinds[part], systemId)).all
    if (before + added > limit) throw error(name)
  }
  await check('members', member_limit, 'memberLimit')
  await check('groups', group_limit, 'groupLimit')
}

export function changesOfMember(found: Member, values: MemberDraft): MemberPatch {
  const { message_count: _, created, last_message_timestamp, ...rest } = values
  return diff<typeof member>(found, {
    ...rest,
    // The file may know an earlier date of creation, or a later message.
    ...(isNumber(created) && created < (found.created ?? Infinity) && { created }),
    ...(isNumber(last_message_timestamp) &&
      last_message_timestamp > (found.last_message_timestamp ?? -Infinity) && {
        last_message_timestamp,
      }),
  })
}

export function changesOfGroup(found: Group, values: GroupDraft): GroupPatch {
  const { created, ...rest } = values
  const isEarlier = isNumber(created) && created < (found.created ?? Infinity)
  return diff<typeof group>(found, { ...rest, ...(isEarlier && { created }) })
}

function count(tally: Tally, changed: object): void {
  tally[isEmptyPatch(changed) ? 'unchanged' : 'changed'] += 1
}

/** Counts the memberships of a group and returns the number of added ones. */
async function countMemberships(
  { deps, report, memberIds }: Import,
  incoming: BundleGroup,
  found: Group | null,
): Promise<number> {
  const before = report.memberships.added
  const known = new Set(found ? await memberIdsOfGroup(deps.db, found.id) : [])
  for (const key of incoming.members) {
    const id = memberIds.get(key)
    const isMissing = id === undefined
    report.memberships[isMissing ? 'left_out' : known.has(id) ? 'unchanged' : 'added'] += 1
  }
  return report.memberships.added - before
}

const PENDING_ID = 0

function memberIdsOf({ memberIds }: Import, incoming: BundleGroup): number[] {
  return incoming.members.flatMap((key) => memberIds.get(key) ?? [])
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
