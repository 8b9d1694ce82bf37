import type { EventType } from '../../model/events'
import type { OwnedName } from '../../model/ownedKinds'

/** Data that pages load themselves. */
export type PageData =
  | 'accounts'
  | 'fields'
  | 'frontNotes'
  | 'notes'
  | 'posts'
  | 'polls'
  | 'reminders'
  | 'archive'
  | 'buckets'
  | 'friends'

/** Data to refetch after an event. */
export type Invalidation =
  | { kind: 'member' | 'group'; uuid: string; isDeleted: boolean }
  | { kind: 'switch'; uuid: string; isDeleted: boolean; now: SwitchValues }
  | { kind: 'system' | 'settings' | 'members' | 'groups' | 'switches' | 'all' | PageData }

/** New values of a switch; the members are UUIDs. */
export interface SwitchValues {
  readonly timestamp?: string
  readonly members?: readonly string[]
}

type Kind = Invalidation['kind'] | null

type Verb = 'CREATE' | 'UPDATE' | 'DELETE'
type Noun<T extends EventType> = T extends `${Verb}_${infer N}` ? N : T

/** Names of kinds of rows in events. A kind that no page shows needs no entry below. */
type Row = Uppercase<OwnedName>

/** Kinds by event type without its verb. */
const kinds: Record<Exclude<Noun<EventType>, Row>, Kind> & Partial<Record<Row, Kind>> = {
  SYSTEM: 'system',
  SETTINGS: 'settings',
  MEMBER: 'member',
  MEMBER_EXT: 'member',
  FIELD_VALUES: 'member',
  GROUP: 'group',
  GROUP_EXT: 'groups',
  GROUP_MEMBERS: 'groups',
  LINK_ACCOUNT: 'accounts',
  UNLINK_ACCOUNT: 'accounts',
  SYSTEM_GUILD: null,
  MEMBER_GUILD: null,
  MESSAGE: null,
  SWITCH: 'switch',
  ALL_SWITCHES: 'switches',
  SUCCESSFUL_IMPORT: 'all',
  AUTOPROXY: null,
  FIELD: 'fields',
  FRONT_NOTE: 'frontNotes',
  EXT_SETTINGS: 'frontNotes',
  NOTE: 'notes',
  ROOM: 'posts',
  POST: 'posts',
  POLL: 'polls',
  POLL_VOTES: 'polls',
  ARCHIVE: 'archive',
  REMINDER: 'reminders',
  BUCKET: 'buckets',
  FRIEND: 'friends',
  FRIEND_FRONT: null,
}

const lists = { switch: 'switches', member: 'members', group: 'groups' } as const

/** Maps an event to the data that it makes stale; null if the page shows none of it. */
export function invalidationFor(name: string, data: string): Invalidation | null {
  if (name === 'gap') return { kind: 'all' }
  const noun = name.replace(/^(CREATE|UPDATE|DELETE)_/, '')
  const kind = Object.entries(kinds).find(([name]) => name === noun)?.[1] ?? null
  if (kind === null) return null
  if (kind !== 'switch' && kind !== 'member' && kind !== 'group') return { kind }
  const event = JSON.parse(data) as { id: string | null; data?: SwitchValues | null }
  if (event.id === null) return { kind: lists[kind] }
  const about = { uuid: event.id, isDeleted: name.startsWith('DELETE_') }
  return kind === 'switch' ? { kind, ...about, now: event.data ?? {} } : { kind, ...about }
}

/** Above this number of stale entries of a kind, the whole list is fetched once. */
const MAX_SINGLE = 8

/** Removes duplicates, and replaces many entries of a kind by their list. */
export function mergeInvalidations(invalidations: readonly Invalidation[]): Invalidation[] {
  if (invalidations.some(({ kind }) => kind === 'all')) return [{ kind: 'all' }]
  const byKey = new Map<string, Invalidation>()
  for (const invalidation of invalidations) {
    const before = byKey.get(keyOf(invalidation))
    const isChangedAgain = before?.kind === 'switch' && invalidation.kind === 'switch'
    byKey.set(
      keyOf(invalidation),
      isChangedAgain
        ? { ...invalidation, now: { ...before.now, ...invalidation.now } }
        : invalidation,
    )
  }
  for (const kind of ['switch', 'member', 'group'] as const) {
    const single = [...byKey.values()].filter((invalidation) => invalidation.kind === kind)
    const fetched = single.filter(
      (invalidation) => 'isDeleted' in invalidation && !invalidation.isDeleted,
    )
    const list = lists[kind]
    if (fetched.length <= MAX_SINGLE && !byKey.has(list)) continue
    for (const invalidation of single) byKey.delete(keyOf(invalidation))
    byKey.set(list, { kind: list })
  }
  return [...byKey.values()]
}

function keyOf(invalidation: Invalidation): string {
  return 'uuid' in invalidation ? `${invalidation.kind} ${invalidation.uuid}` : invalidation.kind
}
