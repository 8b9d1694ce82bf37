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

export type EventType = (typeof eventTypes)[number]

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
