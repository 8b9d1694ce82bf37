import { type Draft, entity, type Patch, type Row, withKeys } from '../core/entity'
import {
  bucketList,
  choice,
  count,
  optionList,
  required,
  requiredChoice,
  timestamp,
} from '../core/field'

export const customFieldTypes = [
  'text',
  'markdown',
  'color',
  'date',
  'month',
  'year',
  'month_year',
  'month_day',
  'moment',
  'number',
  'flag',
  'url',
  'choice',
  'choices',
] as const

export type CustomFieldType = (typeof customFieldTypes)[number]

/** Types whose values name options of the field. */
export function hasOptions(type: CustomFieldType): boolean {
  return type === 'choice' || type === 'choices'
}

/** Field that a system adds to its members. */
export const customField = entity('customField', {
  name: required({ max: 100, doc: 'Name', example: 'Role' }),
  type: requiredChoice(customFieldTypes, { doc: 'Type of the values', example: 'choice' }),
  options: optionList({
    max: 50,
    doc: 'Options of the types `choice` and `choices`, each with an ID that the server generates',
    example: [{ name: 'Keeper', color: '88c0a8' }],
  }),
  privacy: choice(['public', 'private'], {
    defaultValue: 'private',
    doc: 'Whether other callers may see the field and its values',
  }),
  position: count(0, { readonly: true, doc: 'Position in the list' }),
  created: timestamp({ doc: 'When the field was created' }),
  buckets: bucketList({
    ownerOnly: 'absent',
    doc: 'Privacy buckets whose friends see the field and its values',
  }),
})

/** Keys of the field table that are not columns of `fields`. */
export const derivedFieldKeys = ['buckets'] as const

/** The field without what is stored elsewhere, as in files. */
export const customFieldInFiles = withKeys(
  customField,
  Object.keys(customField.fields).filter((key) => key !== 'buckets'),
)

export type CustomField = Row<typeof customField>
export type CustomFieldDraft = Draft<typeof customField>
export type CustomFieldPatch = Patch<typeof customField>
