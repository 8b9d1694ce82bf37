import { listsInFile, type OwnedEventType, ownedEvents } from './ownedKinds'

/** Event types, as webhook receivers know them. */
export const eventTypes = [
  'UPDATE_SYSTEM',
  'UPDATE_SETTINGS',
  'CREATE_MEMBER',
  'UPDATE_MEMBER',
  'DELETE_MEMBER',
  'CREATE_GROUP',
  'UPDATE_GROUP',
  'UPDATE_GROUP_MEMBERS',
  'DELETE_GROUP',
  'LINK_ACCOUNT',
  'UNLINK_ACCOUNT',
  'UPDATE_SYSTEM_GUILD',
  'UPDATE_MEMBER_GUILD',
  'CREATE_MESSAGE',
  'CREATE_SWITCH',
  'UPDATE_SWITCH',
  'DELETE_SWITCH',
  'DELETE_ALL_SWITCHES',
  'SUCCESSFUL_IMPORT',
  'UPDATE_AUTOPROXY',
] as const

/** Event types of the extension API besides those of the kinds of rows. */
const otherExtEventTypes = [
  'UPDATE_MEMBER_EXT',
  'UPDATE_GROUP_EXT',
  'UPDATE_FIELD_VALUES',
  'UPDATE_POLL_VOTES',
  'UPDATE_EXT_SETTINGS',
  'DELETE_ARCHIVE',
  'REMINDER',
  'CREATE_FRIEND',
  'UPDATE_FRIEND',
  'DELETE_FRIEND',
  'FRIEND_FRONT',
] as const

export type ExtEventType = (typeof otherExtEventTypes)[number] | OwnedEventType

/** Event types of the extension API, which only webhooks for all events receive. */
export const extEventTypes: readonly ExtEventType[] = [
  ...otherExtEventTypes,
  ...listsInFile.flatMap((list) => Object.values(ownedEvents(list))),
]

export type EventType = (typeof eventTypes)[number] | ExtEventType

export const deliveryResults = ['delivered', 'refused', 'unanswered'] as const
export type DeliveryResult = (typeof deliveryResults)[number]

/** A change to record as an event. */
export interface Change {
  system_id: number
  type: EventType
  /** UUID of the entity or ID of the account; null for the system itself. */
  subject: string | null
  /** New values by key, as stored; `events` serializes them for receivers. */
  data: Record<string, unknown> | null
}
