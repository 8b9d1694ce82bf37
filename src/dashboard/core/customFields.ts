import type { Option } from '../../model/core/field'
import type { FieldValue } from '../../model/members/fieldValue'
import { type CustomField, isListed, type Member } from '../api/types'
import { members } from './store'

/** Returns a member's value of a field; null without one. */
export function fieldValue({ ext }: Member, { id }: CustomField): FieldValue {
  return (ext?.fields[id] ?? null) as FieldValue
}

export function membersWith(field: CustomField): Member[] {
  return members.value.filter((member) => fieldValue(member, field) !== null)
}

/** Returns the fields that an anonymous caller sees of a member. */
export function publicFields(member: Member, fields: readonly CustomField[]): CustomField[] {
  return isListed(member) ? fields.filter(({ privacy }) => privacy === 'public') : []
}

/** Returns the options that a value of `choice` or `choices` names, in the order of the field. */
export function chosenOptions({ options }: CustomField, value: FieldValue): Option[] {
  const ids = Array.isArray(value) ? value : [value]
  return (options ?? []).filter(({ id }) => ids.includes(id))
}

const PREFIX = 'fields.'

/** Returns the key of a field in forms and in the server's problems. */
export function keyOf({ id }: CustomField): string {
  return `${PREFIX}${id}`
}

/** Returns the ID of the field whose key this is; null for other keys. */
export function fieldIdOf(key: string): string | null {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : null
}
