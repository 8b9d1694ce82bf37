import { eq } from 'drizzle-orm'
import { statement } from '../../db/statement'
import { groups, members } from '../../db/tables'
import type { Db } from '../../db/types'
import { hiddenIdentity } from '../../db/visibility'
import type { BundleGroup, BundleMember } from '../../formats/bundle'
import { diff, fillDefaults, type Identity, isEmptyPatch } from '../../model/entity'
import { type ErrorName, error } from '../../model/errors'
import type { Group, GroupDraft, GroupPatch, group } from '../../model/group'
import type { Member, MemberDraft, MemberPatch, member } from '../../model/member'
import { settings } from '../../model/settings'
import type { Tally } from '../../model/transfer'
import { withQuotas } from '../admin/quotas'
import { groupRepository } from '../groups'
import type { GivenIdentity } from '../identity'
import { memberRepository } from '../members'
import { getSettings } from '../settings'
import type { Import, ImportReport, Match, MatchedEntities } from './importContext'
import { writeInBatches } from './staging'

/** Finds out whom the file means, and what its members and groups would change here. */
export async function matchEntities(work: Import): Promise<void> {
  const { deps, report, options } = work
  work.matched = await matchExisting(work, deps.db)
  const { members: people, groups: circles } = work.matched
  await requireQuota(work, deps.db)
  for (const { incoming, found } of people) {
    if (found) work.memberIds.set(incoming.key, found.id)
    if (!wants(work, 'members')) report.members.left_out += 1
    else if (found) count(report.members, changesOfMember(found, incoming.values))
    else {
      report.members.added += 1
      // Which row it will be is known once it is written.
      work.memberIds.set(incoming.key, PENDING_ID)
    }
    await work.step()
  }
  let joins = 0
  for (const { incoming, found } of circles) {
    if (!wants(work, 'groups')) report.groups.left_out += 1
    else if (found) count(report.groups, changesOfGroup(found, incoming.values))
    else report.groups.added += 1
    if (wants(work, 'groups')) {
      const joining = await countMemberships(work, incoming, found)
      if (found) joins += joining
    }
    await work.step()
  }
  if (joins > MAX_ADDED_MEMBERSHIPS)
    throw error(
      'badRequest',
      `the file adds more than ${MAX_ADDED_MEMBERSHIPS.toLocaleString('en')} memberships to groups that are here already`,
    )
  if (options.dryRun) await planNames(work)
}

/** Groups that are here cannot gain members unseen, and the last transaction must be short. */
const MAX_ADDED_MEMBERSHIPS = 40_000

async function planNames(work: Import): Promise<void> {
  const { deps, report, matched } = work
  for (const part of ['members', 'groups'] as const)
    for (const { incoming, found } of wants(work, part) ? matched[part] : [])
      if (!found) {
        const free = await own[part].availableParts(deps.db, incoming)
        recordRename(report, nouns[part], incoming.values.name, incoming, free)
      }
}

/** Writes new members and groups to where they wait, with the members of new groups. */
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
    const { id } = await memberRepository.insert(tx, stagingSystemId, draft, hiddenIdentity())
    memberIds.set(key, id)
  })
  const memberships: [group: number, members: number[]][] = []
  await writeInBatches(deps, staging, newGroups, async (tx, { incoming }) => {
    const draft = { ...incoming.values, created: incoming.values.created ?? now }
    const { id } = await groupRepository.insert(tx, stagingSystemId, draft, hiddenIdentity())
    work.groupIds.set(incoming.key, id)
    memberships.push([id, memberIdsOf(work, incoming)])
  })
  await writeInBatches(deps, staging, memberships, async (tx, [id, inside]) => {
    await addMembers(tx).run({ group: id, members: JSON.stringify(inside) })
  })
}

/** Meanwhile somebody else may have been made, renamed or deleted here. */
export async function requireUnchanged(work: Import, tx: Db): Promise<void> {
  const before = work.matched
  work.matched = await matchExisting(work, tx)
  const isSame = <I, R extends Identity>(then: Match<I, R>[], now: Match<I, R>[]) =>
    then.every(({ found }, at) => found?.id === now[at]?.found?.id)
  const { members: people, groups: circles } = work.matched
  if (!isSame(before.members, people) || !isSame(before.groups, circles))
    throw error('conflict', 'members or groups were changed meanwhile: import it once more')
  await requireQuota(work, tx)
}

/** Gives new members and groups to their system, and changes the others. Whether any were. */
export async function applyEntities(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { matched } = work
  let isTouched = false
  for (const { incoming, found } of wants(work, 'members') ? matched.members : []) {
    if (!found) {
      await assignToSystem(work, tx, systemId, 'members', incoming)
    } else {
      const changed = changesOfMember(found, incoming.values)
      if (!isEmptyPatch(changed)) {
        // Where many are, the last transaction must be short; faces come when somebody looks.
        if (work.writtenTags !== null) await memberRepository.updateRow(tx, found.id, changed)
        else await memberRepository.update(tx, found, changed)
        isTouched = true
      }
    }
    await work.step(0)
  }
  for (const { incoming, found } of wants(work, 'groups') ? matched.groups : []) {
    if (!found) {
      await assignToSystem(work, tx, systemId, 'groups', incoming)
    } else {
      const changed = changesOfGroup(found, incoming.values)
      if (!isEmptyPatch(changed)) await groupRepository.update(tx, found, changed)
      // Members are added to groups, never taken out.
      const added = await addMembers(tx).all({
        group: found.id,
        members: JSON.stringify(memberIdsOf(work, incoming)),
      })
      if (added.length > 0 || !isEmptyPatch(changed)) isTouched = true
    }
    await work.step(0)
  }
  return isTouched
}

const own = { members: memberRepository, groups: groupRepository }
const nouns = { members: 'member', groups: 'group' }

/** Gives one that waited to its system, under the name it had elsewhere if that is free here. */
async function assignToSystem(
  { report, memberIds, groupIds }: Import,
  tx: Db,
  systemId: number,
  part: 'members' | 'groups',
  incoming: BundleMember | BundleGroup,
): Promise<void> {
  const id = (part === 'members' ? memberIds : groupIds).get(incoming.key) ?? 0
  const made = await own[part].adopt(tx, systemId, id, incoming)
  recordRename(report, nouns[part], incoming.values.name, incoming, made)
}

/** An identity that was not free here is told, old and new. */
export function recordRename(
  { renamed }: ImportReport,
  kind: string,
  name: string | null,
  given: GivenIdentity,
  made: GivenIdentity,
): void {
  for (const key of ['hid', 'uuid'] as const)
    if (given[key] && given[key] !== made[key])
      renamed.push({ kind, name, from: given[key], to: made[key] ?? '' })
}

function wants({ options }: Import, part: 'members' | 'groups'): boolean {
  return options.only?.has(part) ?? true
}

async function matchExisting(
  { systemId, members: m, groups: g }: Import,
  db: Db,
): Promise<MatchedEntities> {
  const ofSystem = systemId ?? 0
  const here = await db.select().from(members).where(eq(members.system_id, ofSystem)).all()
  const there = await db.select().from(groups).where(eq(groups.system_id, ofSystem)).all()
  return { members: matchRows(here, m), groups: matchRows(there, g) }
}

/**
 * Which row here each of the file means: by UUID, then short ID, then exact name. Each row is meant
 * at most once, and a name never takes a row that another of the file means by its ID.
 */
function matchRows<
  R extends Identity & { name: string },
  I extends GivenIdentity & { values: { name: string } },
>(existing: readonly R[], incoming: readonly I[]): Match<I, R>[] {
  const found = new Map<I, R>()
  const used = new Set<R>()
  const pair = (one: I, row: R | undefined) => {
    if (!row || found.has(one) || used.has(row)) return
    found.set(one, row)
    used.add(row)
  }
  const byUuid = new Map(existing.map((row) => [row.uuid, row]))
  for (const one of incoming) pair(one, byUuid.get(one.uuid ?? ''))
  const byHid = new Map(existing.map((row) => [row.hid, row]))
  for (const one of incoming) pair(one, byHid.get(one.hid ?? ''))
  const byName = Map.groupBy(existing, (row) => row.name)
  for (const one of incoming)
    pair(
      one,
      byName.get(one.values.name)?.find((row) => !used.has(row)),
    )
  return incoming.map((one) => ({ incoming: one, found: found.get(one) ?? null }))
}

/** Those here that the file does not mean count too. */
async function requireQuota(work: Import, db: Db): Promise<void> {
  const { systemId, matched } = work
  const stored = systemId === null ? newLimits : await getSettings(db, systemId)
  const limits = withQuotas(work.deps.quotas, stored)
  const check = async (part: 'members' | 'groups', limit: number, name: ErrorName) => {
    const added = matched[part].filter(({ found }) => found === null).length
    if (added === 0 || !wants(work, part)) return
    const before = systemId === null ? 0 : await own[part].count(db, systemId)
    if (before + added > limit) throw error(name)
  }
  await check('members', limits.member_limit, 'memberLimit')
  await check('groups', limits.group_limit, 'groupLimit')
}

const newLimits = fillDefaults(settings, {})

export function changesOfMember(found: Member, values: MemberDraft): MemberPatch {
  const { message_count: _, created, last_message_timestamp, ...rest } = values
  return diff<typeof member>(found, {
    ...rest,
    // A file tells of the past: it may know an earlier beginning, or a later word than ours.
    ...(isNumber(created) && created < (found.created ?? Infinity) && { created }),
    ...(isNumber(last_message_timestamp) &&
      last_message_timestamp > (found.last_message_timestamp ?? -Infinity) && {
        last_message_timestamp,
      }),
  })
}

function changesOfGroup(found: Group, values: GroupDraft): GroupPatch {
  const { created, ...rest } = values
  const isEarlier = isNumber(created) && created < (found.created ?? Infinity)
  return diff<typeof group>(found, { ...rest, ...(isEarlier && { created }) })
}

function count(tally: Tally, changed: object): void {
  tally[isEmptyPatch(changed) ? 'unchanged' : 'changed'] += 1
}

/** How many are added. */
async function countMemberships(
  { deps, report, memberIds }: Import,
  incoming: BundleGroup,
  found: Group | null,
): Promise<number> {
  const before = report.memberships.added
  const inside = found ? await membersOf(deps.db).all({ group: found.id }) : []
  const known = new Set(inside.map(({ member_id }) => member_id))
  for (const key of incoming.members) {
    const id = memberIds.get(key)
    const isLost = id === undefined
    report.memberships[isLost ? 'left_out' : known.has(id) ? 'unchanged' : 'added'] += 1
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

const membersOf = statement<'group', { member_id: number }>(
  'select member_id from group_members where group_id = :group',
)

const addMembers = statement<'group' | 'members', { member_id: number }>(
  (say) => `
   insert into group_members (group_id, member_id)
   select ${say.number(':group')}, ${say.jsonNumber('m')} from ${say.jsonEach(':members', 'm')}
   where true on conflict do nothing returning member_id`,
)
