import { type Entity, entity, type JsonObject } from '../../model/core/entity'
import { type Field, flag, text } from '../../model/core/field'
import type { CustomFieldType } from '../../model/members/customField'
import { MAX_VALUE, parseValue } from '../../model/members/fieldValue'
import { MAX_DESCRIPTION, member } from '../../model/members/member'
import { memberExt } from '../../model/members/memberExt'
import { api } from '../api/resources'
import { type CustomField, isCustomFront, type Member } from '../api/types'
import { fieldIdOf, fieldValue, keyOf } from '../core/customFields'
import { readMember } from '../core/store'

/** Returns the fields of the form of a member: those of v2, and what the extension API adds. */
export function memberForm(customFields: readonly CustomField[]): Entity {
  return entity(
    'member',
    {
      ...member.fields,
      description: memberExt.fields.about,
      buckets: memberExt.fields.buckets,
      announce_front: memberExt.fields.announce_front,
      custom_front: flag(false, { doc: 'Whether the kind is `custom_front`' }),
      ...Object.fromEntries(customFields.map((field) => [keyOf(field), formField(field)])),
    },
    member.levels,
  )
}

/** Returns the line of the field table for the values of a custom field. */
function formField(field: CustomField): Field {
  return {
    ...text({ doc: field.name, max: MAX_VALUE }),
    parse: (value) => parseValue(field, readTyped(field.type, value)),
  }
}

/** Converts what inputs cannot hold as it is stored. */
function readTyped(type: CustomFieldType, value: unknown): unknown {
  if (typeof value !== 'string' || type === 'text' || type === 'markdown') return value
  const typed = value.trim()
  if (type === 'year' && /^\d{1,3}$/.test(typed)) return typed.padStart(4, '0')
  if (type !== 'number' || typed === '') return typed
  const number = Number(/^[^.]*,[^.,]*$/.test(typed) ? typed.replace(',', '.') : typed)
  return Number.isNaN(number) ? typed : number
}

/** Returns a member, with its whole description, with the values of its form. */
export function toMemberForm(member: Member, customFields: readonly CustomField[]): Member {
  const added = {
    description: member.ext?.about ?? member.description,
    custom_front: isCustomFront(member),
    buckets: member.ext?.buckets ?? [],
    announce_front: member.ext?.announce_front ?? true,
    ...Object.fromEntries(customFields.map((field) => [keyOf(field), fieldValue(member, field)])),
  }
  return { ...member, ...added }
}

/** Returns true if other clients get only the beginning of a description. */
export function isLongDescription(text: unknown): boolean {
  return typeof text === 'string' && text.length > MAX_DESCRIPTION
}

/** Builds the body of the request that saves the changes of the form. */
export function memberBody({
  custom_front,
  description,
  buckets,
  announce_front,
  ...rest
}: JsonObject): JsonObject {
  const entries = Object.entries(rest)
  const others = Object.fromEntries(entries.filter(([key]) => fieldIdOf(key) === null))
  const fields = Object.fromEntries(
    entries.flatMap(([key, value]) => {
      const id = fieldIdOf(key)
      return id === null ? [] : [[id, value]]
    }),
  )
  const isLong = isLongDescription(description)
  const changed = description !== undefined
  const v2 = changed && !isLong ? { ...others, description } : others
  return {
    ...(Object.keys(v2).length > 0 && { member: v2 }),
    ...(changed && { about: isLong ? description : null }),
    ...(buckets !== undefined && { buckets }),
    ...(announce_front !== undefined && { announce_front }),
    ...(custom_front !== undefined && { kind: custom_front ? 'custom_front' : 'member' }),
    ...(Object.keys(fields).length > 0 && { fields }),
  }
}

/** Changes a member through the extension API and returns it. */
export async function patchMember(uuid: string, body: JsonObject): Promise<Member | null> {
  const saved = await api.members.patch(uuid, body)
  return saved && readMember(saved)
}
