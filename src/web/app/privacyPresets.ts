import { type Level, MAX_AT_ONCE } from '../../model/entity'
import { member } from '../../model/member'
import { requireServer, showToast } from './actions'
import { requestOwn } from './api'
import { members, preferences, putMembers } from './store'
import { countOf } from './strings'
import { privacyStrings } from './strings/privacy'
import type { Member, MemberLevel } from './types'

/** Privacy of many at once: what a preset means, what it changes, and the way back. */

export const presets = ['open', 'names', 'hidden'] as const
export type Preset = (typeof presets)[number]

/** Some levels, or all of them. */
export type Levels = Partial<Readonly<Record<MemberLevel, Level>>>

const namesOnly: readonly MemberLevel[] = [
  'visibility',
  'name_privacy',
  'pronoun_privacy',
  'avatar_privacy',
]

/** Every level of a member, as a preset sets it. */
export function levelsOf(preset: Preset): Levels {
  const isOpen = (level: MemberLevel) =>
    preset === 'open' || (preset === 'names' && namesOnly.includes(level))
  return Object.fromEntries(
    member.levels.map((level) => [level, isOpen(level) ? 'public' : 'private']),
  )
}

interface Change {
  readonly id: string
  readonly privacy: Levels
}

/** What has to be sent so that these have those levels: only who changes, and only what. */
export function findChanges(some: readonly Member[], levels: Levels): Change[] {
  const wanted = Object.entries(levels) as [MemberLevel, Level][]
  return some.flatMap(({ uuid, privacy }) => {
    const news = wanted.filter(([level, to]) => privacy?.[level] !== to)
    return news.length === 0 ? [] : [{ id: uuid, privacy: Object.fromEntries(news) }]
  })
}

/** What would have to be sent to have all that changes as it is now. */
export function findUndo(some: readonly Member[], changes: readonly Change[]): Change[] {
  const byUuid = new Map(some.map((one) => [one.uuid, one]))
  return changes.flatMap(({ id, privacy }) => {
    const before = byUuid.get(id)?.privacy
    if (!before) return []
    const levels = Object.keys(privacy) as MemberLevel[]
    return [{ id, privacy: Object.fromEntries(levels.map((level) => [level, before[level]])) }]
  })
}

/** Changes levels of many in one request; it is told, and can be undone. Gives how many changed. */
export async function changeLevels(some: readonly Member[], levels: Levels): Promise<number> {
  requireServer()
  const changes = findChanges(some, levels)
  const back = findUndo(some, changes)
  await send(changes)
  const many = countOf(changes.length, preferences.value.word)
  showToast({ text: privacyStrings.haveChanged(many, changes.length), undo: () => restore(back) })
  return changes.length
}

/** Who has been deleted meanwhile is left out: all the others still want theirs back. */
async function restore(back: readonly Change[]): Promise<void> {
  const known = new Set(members.value.map(({ uuid }) => uuid))
  await send(back.filter(({ id }) => known.has(id)))
}

async function send(changes: readonly Change[]): Promise<void> {
  for (let at = 0; at < changes.length; at += MAX_AT_ONCE) {
    const body = changes.slice(at, at + MAX_AT_ONCE)
    putMembers(
      (await requestOwn<Member[]>('v2/systems/@me/members', { method: 'PATCH', body })) ?? [],
    )
  }
}
