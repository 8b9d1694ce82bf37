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

/** Event types of the extension API, which only webhooks for all events receive. */
export const extEventTypes = [
  'UPDATE_MEMBER_EXT',
  'UPDATE_GROUP_EXT',
  'CREATE_FIELD',
  'UPDATE_FIELD',
  'DELETE_FIELD',
  'UPDATE_FIELD_VALUES',
  'CREATE_FRONT_NOTE',
  'UPDATE_FRONT_NOTE',
  'DELETE_FRONT_NOTE',
  'CREATE_NOTE',
  'UPDATE_NOTE',
  'DELETE_NOTE',
  'CREATE_ROOM',
  'UPDATE_ROOM',
  'DELETE_ROOM',
  'CREATE_POST',
  'UPDATE_POST',
  'DELETE_POST',
  'CREATE_POLL',
  'UPDATE_POLL',
  'DELETE_POLL',
  'UPDATE_POLL_VOTES',
  'UPDATE_EXT_SETTINGS',
  'DELETE_ARCHIVE',
  'CREATE_REMINDER',
  'UPDATE_REMINDER',
  'DELETE_REMINDER',
  'REMINDER',
  'CREATE_BUCKET',
  'UPDATE_BUCKET',
  'DELETE_BUCKET',
  'CREATE_FRIEND',
  'UPDATE_FRIEND',
  'DELETE_FRIEND',
  'FRIEND_FRONT',
] as const

export type ExtEventType = (typeof extEventTypes)[number]
export type EventType = (typeof eventTypes)[number] | ExtEventType

/** Results of a webhook delivery attempt. */
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
