import { eq } from 'drizzle-orm'
import { groupMembers, groups, members } from '../db/tables'
import { changesOf, type Identity } from '../model/entity'
import { type ErrorName, error } from '../model/errors'
import type { Group, group } from '../model/group'
import type { Member, MemberDraft, member } from '../model/member'
import { freeGroupIdentity, insertGroup, updateGroup } from './groups'
import type { GivenIdentity } from './identity'
import type { Import, ImportReport, Tally } from './importWork'
import { freeMemberIdentity, insertMember, updateMember } from './members'
import { addPair } from './memberships'
import { getSettings } from './settings'

export async function importMembers(work: Import): Promise<void> {
  const { tx, systemId, bundle, report, options } = work
  const isWanted = options.only?.has('members') ?? true
  const existing = await tx.select().from(members).where(eq(members.system_id, systemId)).all()
  const pairs = pairUp(existing, bundle.members)
  const { member_limit } = await getSettings(tx, systemId)
  if (isWanted) refuseTooMany(existing.length, pairs, member_limit, 'memberLimit')
  for (const { incoming, found } of pairs) {
    if (found) work.members.set(incoming.key, found)
    if (!isWanted) report.members.left_out += 1
    else if (found) work.members.set(incoming.key, await changeMember(work, found, incoming.values))
    else work.members.set(incoming.key, await addMember(work, incoming))
    await work.step()
  }
}

async function addMember(work: Import, incoming: Incoming<MemberDraft>): Promise<Member> {
  const { tx, systemId, deps, report } = work
  const identity = await freeMemberIdentity(tx, incoming)
  const draft = { ...incoming.values, created: incoming.values.created ?? deps.now() }
  const made = await insertMember(tx, systemId, draft, identity)
  noteAdded(work, report.members, 'member', incoming, made)
  return made
}

async function changeMember(work: Import, found: Member, values: MemberDraft): Promise<Member> {
  const { message_count: _, created, last_message_timestamp, ...rest } = values
  const patch = {
    ...rest,
    // A file tells of the past: it may know an earlier beginning, or a later word than ours.
    ...(isNumber(created) && created < (found.created ?? Infinity) && { created }),
    ...(isNumber(last_message_timestamp) &&
      last_message_timestamp > (found.last_message_timestamp ?? -Infinity) && {
        last_message_timestamp,
      }),
  }
  const changed = changesOf<typeof member>(found, patch)
  if (!noteChanged(work, work.report.members, changed)) return found
  return updateMember(work.tx, found, changed)
}

export async function importGroups(work: Import): Promise<void> {
  const { tx, systemId, bundle, report, options } = work
  const isWanted = options.only?.has('groups') ?? true
  const existing = await tx.select().from(groups).where(eq(groups.system_id, systemId)).all()
  const pairs = pairUp(existing, bundle.groups)
  const { group_limit } = await getSettings(tx, systemId)
  if (isWanted) refuseTooMany(existing.length, pairs, group_limit, 'groupLimit')
  for (const { incoming, found } of pairs) {
    if (isWanted) {
      const row = found
        ? await changeGroup(work, found, incoming.values)
        : await addGroup(work, incoming)
      await importMemberships(work, row, incoming.members)
    } else report.groups.left_out += 1
    await work.step()
  }
}

async function addGroup(
  work: Import,
  incoming: Import['bundle']['groups'][number],
): Promise<Group> {
  const { tx, systemId, deps, report } = work
  const identity = await freeGroupIdentity(tx, incoming)
  const draft = { ...incoming.values, created: incoming.values.created ?? deps.now() }
  const made = await insertGroup(tx, systemId, draft, identity)
  noteAdded(work, report.groups, 'group', incoming, made)
  return made
}

async function changeGroup(work: Import, found: Group, values: object): Promise<Group> {
  const { created, ...rest } = values as { created?: number | null }
  const isEarlier = isNumber(created) && created < (found.created ?? Infinity)
  const changed = changesOf<typeof group>(found, { ...rest, ...(isEarlier && { created }) })
  if (!noteChanged(work, work.report.groups, changed)) return found
  return updateGroup(work.tx, found, changed)
}

/** Members are added to groups, never taken out. */
async function importMemberships(work: Import, row: Group, keys: string[]): Promise<void> {
  const { tx, report } = work
  const inside = await tx
    .select({ id: groupMembers.member_id })
    .from(groupMembers)
    .where(eq(groupMembers.group_id, row.id))
    .all()
  const known = new Set(inside.map(({ id }) => id))
  for (const key of keys) {
    const one = work.members.get(key)
    if (!one) report.memberships.left_out += 1
    else if (known.has(one.id)) report.memberships.unchanged += 1
    else {
      await addPair(tx).run({ group: row.id, member: one.id })
      known.add(one.id)
      report.memberships.added += 1
      work.touch()
    }
  }
}

type Incoming<D> = GivenIdentity & { values: D }

/**
 * Which row here each of the file means: by UUID, then short ID, then exact name. Each row is meant
 * at most once, and a name never takes a row that another of the file means by its ID.
 */
function pairUp<R extends Identity & { name: string }, I extends Incoming<{ name: string }>>(
  existing: readonly R[],
  incoming: readonly I[],
): { incoming: I; found: R | null }[] {
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

function refuseTooMany(
  existing: number,
  pairs: readonly { found: unknown }[],
  limit: number,
  reason: ErrorName,
): void {
  const added = pairs.filter(({ found }) => !found).length
  if (added > 0 && existing + added > limit) throw error(reason)
}

function noteAdded(
  { report, touch }: Import,
  tally: Tally,
  kind: string,
  given: Incoming<unknown>,
  made: Identity,
): void {
  tally.added += 1
  touch()
  noteRenamed(report, kind, given, made)
}

/** An identity that was not free here is told, old and new. */
export function noteRenamed(
  { renamed }: ImportReport,
  kind: string,
  given: GivenIdentity,
  made: Identity,
): void {
  for (const key of ['hid', 'uuid'] as const)
    if (given[key] && given[key] !== made[key])
      renamed.push({ kind, from: given[key], to: made[key] })
}

function noteChanged({ touch }: Import, tally: Tally, changed: object): boolean {
  const isChanged = Object.keys(changed).length > 0
  tally[isChanged ? 'changed' : 'unchanged'] += 1
  if (isChanged) touch()
  return isChanged
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
