import { type EventType, eventTypes } from '../../model/events'

/** What is asked for anew when something happened. */
export type Invalidation =
  | { kind: 'switch' | 'member' | 'group'; uuid: string }
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

const wholes = { switch: 'switches', member: 'members', group: 'groups' } as const

/** What an event makes stale: the one thing that it names; null where the page shows none of it. */
export function invalidationFor(name: string, data: string): Invalidation | null {
  if (name === 'gap') return { kind: 'all' }
  const type = eventTypes.find((known) => known === name)
  const kind = type ? kinds[type] : null
  if (kind === null) return null
  if (kind !== 'switch' && kind !== 'member' && kind !== 'group') return { kind }
  const { id } = JSON.parse(data) as { id: string | null }
  return id === null ? { kind: wholes[kind] } : { kind, uuid: id }
}

/** More than this of one kind, and the whole list is asked for once. */
const MANY = 8

/** Each thing once, and lists where many of theirs are stale. */
export function mergeInvalidations(news: readonly Invalidation[]): Invalidation[] {
  if (news.some(({ kind }) => kind === 'all')) return [{ kind: 'all' }]
  const byName = new Map(news.map((one) => [nameOf(one), one]))
  for (const kind of ['switch', 'member', 'group'] as const) {
    const single = [...byName.values()].filter((one) => one.kind === kind)
    const whole = wholes[kind]
    if (single.length <= MANY && !byName.has(whole)) continue
    for (const one of single) byName.delete(nameOf(one))
    byName.set(whole, { kind: whole })
  }
  return [...byName.values()]
}

function nameOf(one: Invalidation): string {
  return 'uuid' in one ? `${one.kind} ${one.uuid}` : one.kind
}
