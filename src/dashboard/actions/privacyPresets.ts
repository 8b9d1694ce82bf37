import { type Level, MAX_BULK_ITEMS } from '../../model/core/entity'
import { member } from '../../model/members/member'
import { request } from '../api/client'
import { systemPath } from '../api/paths'
import { api } from '../api/resources'
import type { LevelChange, Levels, Member, MemberLevel } from '../api/types'
import { showToast } from '../core/actions'
import { members, memberWord, putMembers, system } from '../core/store'
import { privacyStrings } from '../texts/texts'

/** Privacy of several members at once: presets, the changes they need, and their undo. */

export const presets = ['open', 'names', 'hidden'] as const
export type Preset = (typeof presets)[number]

const namesOnly: readonly MemberLevel[] = [
  'visibility',
  'name_privacy',
  'pronoun_privacy',
  'avatar_privacy',
]

/** Returns the value of every member privacy level in a preset. */
export function levelsOf(preset: Preset): Levels {
  const isOpen = (level: MemberLevel) =>
    preset === 'open' || (preset === 'names' && namesOnly.includes(level))
  return Object.fromEntries(
    member.levels.map((level) => [level, isOpen(level) ? 'public' : 'private']),
  )
}

/** Returns the patches that give members these levels; only members and levels that differ. */
export function findChanges(some: readonly Member[], levels: Levels): LevelChange[] {
  const target = Object.entries(levels) as [MemberLevel, Level][]
  return some.flatMap(({ uuid, privacy }) => {
    const differing = target.filter(([level, to]) => privacy?.[level] !== to)
    return differing.length === 0 ? [] : [{ id: uuid, privacy: Object.fromEntries(differing) }]
  })
}

/** Returns the patches that revert the changes. */
export function findUndo(some: readonly Member[], changes: readonly LevelChange[]): LevelChange[] {
  const byUuid = new Map(some.map((member) => [member.uuid, member]))
  return changes.flatMap(({ id, privacy }) => {
    const before = byUuid.get(id)?.privacy
    if (!before) return []
    const levels = Object.keys(privacy) as MemberLevel[]
    return [{ id, privacy: Object.fromEntries(levels.map((level) => [level, before[level]])) }]
  })
}

/** Changes levels of several members in one request, with a toast to undo it. */
export async function changeLevels(some: readonly Member[], levels: Levels): Promise<void> {
  const changes = findChanges(some, levels)
  const undoChanges = findUndo(some, changes)
  await send(changes)
  showToast({
    text: privacyStrings.changed(changes.length, memberWord.value),
    undo: { kind: 'changeLevels', changes: undoChanges },
  })
}

/** Skips members deleted meanwhile, because they would make the whole request fail. */
export async function restoreLevels(undoChanges: readonly LevelChange[]): Promise<void> {
  const uuids = new Set(members.value.map(({ uuid }) => uuid))
  await send(undoChanges.filter(({ id }) => uuids.has(id)))
}

async function send(changes: readonly LevelChange[]): Promise<void> {
  for (let start = 0; start < changes.length; start += MAX_BULK_ITEMS) {
    const body = changes.slice(start, start + MAX_BULK_ITEMS)
    putMembers((await request(api.v2Members.list, { method: 'PATCH', body })) ?? [])
  }
}

export async function changeSystemLevels(privacy: Readonly<Record<string, Level>>): Promise<void> {
  const body = { privacy }
  system.value = await request(systemPath, { method: 'PATCH', body })
}
