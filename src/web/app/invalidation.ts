import { type EventType, eventTypes } from '../../model/events'

/** Data to refetch after an event. */
export type Invalidation =
  | { kind: 'member' | 'group'; uuid: string }
  /** `isNew` if the switch was created and not changed since. */
  | { kind: 'switch'; uuid: string; isNew: boolean }
  | { kind: 'system' | 'settings' | 'accounts' | 'members' | 'groups' | 'switches' | 'all' }

type Kind = Invalidation['kind'] | null

const kinds: Record<EventType, Kind> = {
  UPDATE_SYSTEM: 'system',
  UPDATE_SETTINGS: 'settings',
  CREATE_MEMBER: 'member',
  UPDATE_MEMBER: 'member',
  DELETE_MEMBER: 'member',
  CREATE_GROUP: 'group',
  UPDATE_GROUP: 'group',
  UPDATE_GROUP_MEMBERS: 'groups',
  DELETE_GROUP: 'group',
  LINK_ACCOUNT: 'accounts',
  UNLINK_ACCOUNT: 'accounts',
  UPDATE_SYSTEM_GUILD: null,
  UPDATE_MEMBER_GUILD: null,
  CREATE_MESSAGE: null,
  CREATE_SWITCH: 'switch',
  UPDATE_SWITCH: 'switch',
  DELETE_SWITCH: 'switch',
  DELETE_ALL_SWITCHES: 'switches',
  SUCCESSFUL_IMPORT: 'all',
  UPDATE_AUTOPROXY: null,
}

const lists = { switch: 'switches', member: 'members', group: 'groups' } as const

/** Maps an event to the data that it makes stale; null if the page shows none of it. */
export function invalidationFor(name: string, data: string): Invalidation | null {
  if (name === 'gap') return { kind: 'all' }
  const type = eventTypes.find((known) => known === name)
  const kind = type ? kinds[type] : null
  if (kind === null) return null
  if (kind !== 'switch' && kind !== 'member' && kind !== 'group') return { kind }
  const { id } = JSON.parse(data) as { id: string | null }
  if (id === null) return { kind: lists[kind] }
  return kind === 'switch'
    ? { kind, uuid: id, isNew: name === 'CREATE_SWITCH' }
    : { kind, uuid: id }
}

/** Above this number of stale entries of a kind, the whole list is fetched once. */
const MAX_SINGLE = 8

/** Removes duplicates, and replaces many entries of a kind by their list. */
export function mergeInvalidations(invalidations: readonly Invalidation[]): Invalidation[] {
  if (invalidations.some(({ kind }) => kind === 'all')) return [{ kind: 'all' }]
  const byKey = new Map(invalidations.map((one) => [keyOf(one), one]))
  for (const kind of ['switch', 'member', 'group'] as const) {
    const single = [...byKey.values()].filter((one) => one.kind === kind)
    const list = lists[kind]
    if (single.length <= MAX_SINGLE && !byKey.has(list)) continue
    for (const one of single) byKey.delete(keyOf(one))
    byKey.set(list, { kind: list })
  }
  return [...byKey.values()]
}

function keyOf(one: Invalidation): string {
  return 'uuid' in one ? `${one.kind} ${one.uuid}` : one.kind
}
