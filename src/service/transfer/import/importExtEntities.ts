import type { Db } from '../../../db/types'
import type { BundleGroup, BundleMember, Repair } from '../../../formats/bundle'
import { diff, isEmptyPatch } from '../../../model/core/entity'
import { storedBytes, textBytes } from '../../../model/core/textSize'
import type { Group } from '../../../model/groups/group'
import { MAX_GROUP_DEPTH } from '../../../model/groups/groupExt'
import { placeGroups } from '../../../model/groups/groupTree'
import type { Member } from '../../../model/members/member'
import { defaultMemberExt, memberExt, type StoredMemberExt } from '../../../model/members/memberExt'
import { extSettingsOf, storeExtSettings } from '../../../store/systems/extSettingRows'
import {
  groupExtsOf,
  storedMemberExts,
  storeGroupExt,
  storeMemberExt,
} from '../../../store/transfer/importEntityRows'
import { writeInBatches } from '../../systems/staging'
import type { TextBudget } from './importBudget'
import type { Import, Match } from './importContext'
import { changesOfGroup, changesOfMember, wants } from './importEntities'

type MemberMatch = Match<BundleMember, Member>
type GroupMatch = Match<BundleGroup, Group>

/**
 * Decides what the extension API adds to members and groups, within the space for text, and counts
 * those that change only there.
 */
export async function planEntityExts(work: Import, budget: TextBudget): Promise<void> {
  if (wants(work, 'members')) await planMembers(work, budget)
  if (wants(work, 'groups')) await planGroups(work, budget)
}

async function planMembers(work: Import, budget: TextBudget): Promise<void> {
  const { deps, matched, report } = work
  const stored = await storedMemberExts(deps.db, idsOf(matched.members))
  for (const match of matched.members) {
    const { incoming, found } = match
    const before = stored.get(found?.id ?? 0) ?? defaultMemberExt
    let after = extAfter(match, before)
    for (const key of ['about', 'archived_reason'] as const) {
      if (budget.take(textBytes(memberExt, after) - textBytes(memberExt, before))) break
      report.repairs.push({
        kind: 'member',
        name: incoming.values.name,
        field: key,
        was: after[key],
        now: null,
        why: NO_SPACE,
      })
      // In place, because matching again in the last transaction copies the entry.
      if (incoming.ext) incoming.ext[key] = null
      after = { ...after, [key]: null }
    }
    if (!found || isSame(before, after)) continue
    if (!isEmptyPatch(changesOfMember(found, incoming.values))) continue
    report.members.unchanged -= 1
    report.members.changed += 1
    await work.step(0)
  }
}

export const NO_SPACE = 'no space is left for text of this system'

/** Returns what a member has after the import. A changed description replaces the long one. */
function extAfter({ incoming, found }: MemberMatch, before: StoredMemberExt): StoredMemberExt {
  const {
    archived: _,
    fields: _fields,
    buckets: _buckets,
    archived_at,
    ...given
  } = incoming.ext ?? {}
  const isReplaced =
    found !== null &&
    incoming.ext?.about === undefined &&
    'description' in changesOfMember(found, incoming.values)
  // The file of another app does not know when the member was archived.
  const keepsTime =
    incoming.origin !== undefined && before.archived_at !== null && archived_at !== null
  return {
    ...before,
    ...given,
    ...(archived_at !== undefined && !keepsTime && { archived_at }),
    ...(isReplaced && { about: null }),
  }
}

function isSame(before: StoredMemberExt, after: StoredMemberExt): boolean {
  return isEmptyPatch(
    diff<typeof memberExt>({ ...before, archived: false, fields: {}, buckets: [] }, after),
  )
}

/** Writes what new members have; they are still hidden. */
export async function stageMemberExts(work: Import): Promise<void> {
  const { deps, matched, memberIds } = work
  const added = matched.members.flatMap((match) => {
    const after = extAfter(match, defaultMemberExt)
    return match.found || isSame(defaultMemberExt, after) ? [] : { match, after }
  })
  if (!wants(work, 'members') || added.length === 0) return
  for (const { after } of added) work.extUsage.text_bytes += textBytes(memberExt, after)
  await writeInBatches(deps, await work.staging(), added, async (tx, { match, after }) => {
    await storeMemberExt(tx, { ...after, member_id: memberIds.get(match.incoming.key) ?? 0 })
  })
}

/** Changes what existing members and all groups have. Returns the bytes of text that this adds. */
export async function applyEntityExts(
  work: Import,
  tx: Db,
  systemId: number,
): Promise<{ isChanged: boolean; bytes: number }> {
  let isChanged = false
  let bytes = 0
  if (wants(work, 'members')) {
    const stored = await storedMemberExts(tx, idsOf(work.matched.members))
    for (const match of work.matched.members) {
      if (!match.found) continue
      const before = stored.get(match.found.id) ?? defaultMemberExt
      const after = extAfter(match, before)
      if (isSame(before, after)) continue
      await storeMemberExt(tx, { ...after, member_id: match.found.id })
      bytes += textBytes(memberExt, after) - textBytes(memberExt, before)
      isChanged = true
    }
  }
  if (wants(work, 'groups')) {
    const idOf = (token: Token | null) => {
      const isNew = token !== null && token < 0
      const { incoming } = (isNew && work.matched.groups[-token - 1]) || {}
      return isNew ? work.groupIds.get(incoming?.key ?? '') : token
    }
    for (const { token, before, after, isChanged: isMoved } of await placedGroups(work, tx)) {
      if (!isMoved) continue
      await storeGroupExt(tx, { ...after, parent_id: idOf(after.parent), group_id: idOf(token) })
      bytes += storedBytes(after.emoji) - storedBytes(before.emoji)
      isChanged = true
    }
  }
  if (work.options.only === null && (await applySettings(work, tx, systemId))) isChanged = true
  return { isChanged, bytes }
}

/** Row ID of an existing group; for a new one, its place in the file as a negative number. */
type Token = number

interface StoredGroupExt {
  emoji: string | null
  position: number
  parent: Token | null
}

interface PlacedGroup {
  match: GroupMatch
  token: Token
  before: StoredGroupExt
  after: StoredGroupExt
  isChanged: boolean
  /** Names of the parent in the file and of the one here, if they differ, and the reason. */
  problem: Pick<Repair, 'was' | 'now' | 'why'> | null
}

async function planGroups(work: Import, budget: TextBudget): Promise<void> {
  const { deps, report } = work
  for (const { match, before, after, isChanged, problem } of await placedGroups(work, deps.db)) {
    const { incoming, found } = match
    if (isChanged && !budget.take(storedBytes(after.emoji) - storedBytes(before.emoji))) {
      const { name } = incoming.values
      report.repairs.push({
        kind: 'group',
        name,
        field: 'emoji',
        was: after.emoji,
        now: null,
        why: NO_SPACE,
      })
      if (incoming.ext) incoming.ext.emoji = null
    }
    if (problem) {
      const { name } = incoming.values
      report.repairs.push({ kind: 'group', name, field: 'parent', ...problem })
    }
    if (!isChanged || !found || !isEmptyPatch(changesOfGroup(found, incoming.values))) continue
    report.groups.unchanged -= 1
    report.groups.changed += 1
  }
}

/** Lists the groups of the file that have a place or an emoji, before and after the import. */
async function placedGroups(work: Import, db: Db): Promise<PlacedGroup[]> {
  const { matched, systemId } = work
  const given = matched.groups.map((match, at) => ({ match, token: match.found?.id ?? -at - 1 }))
  const placed = given.filter(({ match }) => match.incoming.ext)
  if (placed.length === 0) return []
  const rows = systemId === null ? [] : await groupExtsOf(db, systemId)
  const stored = new Map<Token, StoredGroupExt>(
    rows.map(({ group_id, emoji, position, parent_id: parent }) => [
      group_id,
      { emoji, position, parent },
    ]),
  )
  const tokens = new Map(given.map(({ match, token }) => [match.incoming.key, token]))
  const parents = new Map([...stored].map(([token, { parent }]) => [token, parent]))
  const moved = placed.flatMap(({ match, token }) => {
    const parent = match.incoming.ext?.parent
    return parent === undefined ? [] : [[token, tokens.get(parent ?? '') ?? null] as const]
  })
  const problems = placeGroups(parents, moved)
  const names = new Map(given.map(({ match, token }) => [token, match.incoming.values.name]))
  const nameOf = (token: Token | null | undefined) => names.get(token ?? 0) ?? null
  const wanted = new Map(moved)
  return placed.map(({ match, token }) => {
    const before = stored.get(token) ?? { emoji: null, position: 0, parent: null }
    const { emoji = before.emoji, position = before.position } = match.incoming.ext ?? {}
    const after = { emoji, position, parent: parents.get(token) ?? null }
    const reason = problems.get(token)
    const was = nameOf(wanted.get(token))
    const problem = reason ? { was, now: nameOf(after.parent), why: reasons[reason] } : null
    return { match, token, before, after, isChanged: !Bun.deepEquals(before, after), problem }
  })
}

/** Why a group is elsewhere than in the file. */
const reasons = {
  loop: 'groups contain each other',
  depth: `groups are nested at most ${MAX_GROUP_DEPTH} deep`,
} as const

async function applySettings({ head }: Import, tx: Db, systemId: number): Promise<boolean> {
  if (!head.extSettings) return false
  const stored = await extSettingsOf(tx, systemId)
  const { front_status_privacy = 'private' } = head.extSettings
  if (stored.front_status_privacy === front_status_privacy) return false
  await storeExtSettings(tx, systemId, { front_status_privacy })
  return true
}

function idsOf(matches: readonly MemberMatch[]): number[] {
  return matches.flatMap(({ found }) => found?.id ?? [])
}
