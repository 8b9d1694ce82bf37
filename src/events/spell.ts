import type { Entity, JsonObject } from '../model/entity'
import type { EventType } from '../model/events'
import { group } from '../model/group'
import { type Member, member } from '../model/member'
import type { Message } from '../model/message'
import { see } from '../model/privacy'
import { type System, system } from '../model/system'
import { formatInstant } from '../model/time'
import { messageToV2, privacyToV2, toV2 } from '../wire/v2'
import type { StoredEvent } from './outbox'

/** An event as receivers know it: PluralKit's shape, without the signing token. */
export interface SpelledEvent {
  type: string
  system_id: string
  id: string | null
  data: JsonObject | null
}

export function spellEvent(event: StoredEvent, systemUuid: string): SpelledEvent {
  const { type, subject, data } = event
  return {
    type,
    system_id: systemUuid,
    id: subject,
    data: data && spellData(type as EventType, subject, data),
  }
}

function spellData(type: EventType, subject: string | null, data: JsonObject): JsonObject {
  switch (type) {
    case 'UPDATE_SYSTEM':
      return spellPatch(system, data)
    case 'CREATE_MEMBER':
    case 'UPDATE_MEMBER':
      return spellPatch(member, data)
    case 'CREATE_GROUP':
    case 'UPDATE_GROUP':
      return spellPatch(group, data)
    case 'CREATE_SWITCH':
      return { id: subject, ...withTimes(data) }
    case 'UPDATE_AUTOPROXY': {
      const { guild_id, ...changed } = withTimes(data)
      return { guild_id, channel_id: null, ...changed }
    }
    case 'CREATE_MESSAGE': {
      const { system: from, member: by, ...message } = data
      return messageToV2(
        message as JsonObject & Message,
        toV2(system, see(system, from as System, true)),
        toV2(member, see(member, by as Member, true)),
      )
    }
    default:
      return withTimes(data)
  }
}

/** The changed keys alone, with the changed levels nested as everywhere. */
function spellPatch(entity: Entity, data: JsonObject): JsonObject {
  const keys = Object.keys(entity.fields).filter((key) => key in data)
  const fields = withTimes(Object.fromEntries(keys.map((key) => [key, data[key]])))
  const privacy = privacyToV2(entity, data)
  return privacy ? { ...fields, privacy } : fields
}

const TIMES: ReadonlySet<string> = new Set([
  'timestamp',
  'created',
  'last_latch_timestamp',
  'last_message_timestamp',
])

function withTimes(data: JsonObject): JsonObject {
  const spelled = Object.entries(data).map(([key, value]) => [
    key,
    TIMES.has(key) && typeof value === 'number' ? formatInstant(value) : value,
  ])
  return Object.fromEntries(spelled)
}
