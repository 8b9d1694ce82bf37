import { type Entity, type JsonObject, serializeFields } from '../model/core/entity'
import { redact } from '../model/core/privacy'
import { formatInstant } from '../model/core/time'
import type { EventType, ExtEventType } from '../model/events'
import { group } from '../model/groups/group'
import { type Member, member } from '../model/members/member'
import { autoproxy } from '../model/proxy/autoproxy'
import { memberGuild, systemGuild } from '../model/proxy/guild'
import type { Message } from '../model/proxy/message'
import { settings } from '../model/systems/settings'
import { type System, system } from '../model/systems/system'
import { messageToV2, privacyToV2, toV2 } from '../serializers/v2'
import type { StoredEvent } from './outbox'

/** An event in PluralKit's format, without the signing token. */
export interface SerializedEvent {
  type: string
  system_id: string
  id: string | null
  data: JsonObject | null
}

export function serializeEvent(event: StoredEvent, systemUuid: string): SerializedEvent {
  const { type, subject, data } = event
  return {
    type,
    system_id: systemUuid,
    id: subject,
    data: data && serializerOf(type)(data, subject),
  }
}

type EventSerializer = (data: JsonObject, subject: string | null) => JsonObject

/**
 * Types of the extension API have no serializer: their data is recorded as it is sent. A later
 * release that uses the same database may record types that are unknown here.
 */
function serializerOf(type: string): EventSerializer {
  return Object.hasOwn(serializers, type)
    ? serializers[type as keyof typeof serializers]
    : unchanged
}

/** Serializers of the new values by event type. */
const serializers: Record<Exclude<EventType, ExtEventType>, EventSerializer> = {
  UPDATE_SYSTEM: patchOf(system),
  UPDATE_SETTINGS: patchOf(settings),
  CREATE_MEMBER: patchOf(member),
  UPDATE_MEMBER: patchOf(member),
  DELETE_MEMBER: unchanged,
  CREATE_GROUP: patchOf(group),
  UPDATE_GROUP: patchOf(group),
  UPDATE_GROUP_MEMBERS: unchanged,
  DELETE_GROUP: unchanged,
  LINK_ACCOUNT: unchanged,
  UNLINK_ACCOUNT: unchanged,
  UPDATE_SYSTEM_GUILD: patchInGuild(systemGuild),
  UPDATE_MEMBER_GUILD: patchInGuild(memberGuild),
  CREATE_MESSAGE: ({ system: from, member: by, ...message }) =>
    messageToV2(
      message as JsonObject & Message,
      toV2(system, redact(system, from as System, 'owner')),
      toV2(member, redact(member, by as Member, 'owner')),
    ),
  CREATE_SWITCH: (data, subject) => ({ id: subject, ...serializeSwitch(data) }),
  UPDATE_SWITCH: serializeSwitch,
  DELETE_SWITCH: unchanged,
  DELETE_ALL_SWITCHES: unchanged,
  SUCCESSFUL_IMPORT: unchanged,
  UPDATE_AUTOPROXY: patchInGuild(autoproxy, { channel_id: null }),
}

/** Serializes changed keys only, with changed privacy levels nested. */
function patchOf(entity: Entity) {
  return (data: JsonObject): JsonObject => {
    const privacy = privacyToV2(entity, data)
    return { ...serializeFields(entity, data), ...(privacy && { privacy }) }
  }
}

function patchInGuild(entity: Entity, extra: JsonObject = {}) {
  return (data: JsonObject): JsonObject => ({
    guild_id: data.guild_id,
    ...extra,
    ...serializeFields(entity, data),
  })
}

function serializeSwitch(data: JsonObject): JsonObject {
  const { timestamp } = data
  return typeof timestamp === 'number' ? { ...data, timestamp: formatInstant(timestamp) } : data
}

function unchanged(data: JsonObject): JsonObject {
  return data
}
