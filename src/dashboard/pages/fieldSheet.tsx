import type { JsonObject, Level } from '../../model/core/entity'
import { customField, customFieldTypes, hasOptions } from '../../model/members/customField'
import { isTextType } from '../../model/members/fieldValue'
import { api } from '../api/resources'
import type { Bucket, CustomField } from '../api/types'
import { chosenOptions, fieldValue, membersWith } from '../core/customFields'
import { errorText, LIMIT_REACHED } from '../core/errorText'
import { memberWord } from '../core/store'
import { VisibleTo } from '../features/friends/bucketChecks'
import { useBuckets } from '../features/friends/friends'
import { fieldStrings, strings } from '../texts/texts'
import { ChoiceField } from '../ui/form/fields'
import { draftOptions, type OptionDraft, OptionsField, optionsOf } from '../ui/form/optionsField'
import { FormSheet, type SheetForm, useSheetForm } from '../ui/form/sheetForm'
import { TextField } from '../ui/form/textField'
import { LevelButton } from '../ui/privacySwitch'

interface Props {
  /** Absent for a new field. */
  field: CustomField | undefined
  onClose: () => void
  onDone: () => void
}

interface Values {
  readonly [key: string]: unknown
  readonly name: string
  readonly type: CustomField['type']
  readonly options: readonly OptionDraft[]
  readonly privacy: Level
  /** Undefined if a new field gets the default buckets. */
  readonly buckets: readonly string[] | undefined
}

function valuesOf(field: CustomField | undefined): Values {
  const { name = '', type = 'text', options, privacy = 'private', buckets = [] } = field ?? {}
  return {
    name,
    type,
    options: draftOptions(options ?? []),
    privacy,
    buckets: field && buckets,
  }
}

function bodyOf({ options, ...values }: Values): JsonObject {
  return { ...values, options: hasOptions(values.type) ? optionsOf(options) : null }
}

function problemsOf({ type, options }: Values): Record<string, string> {
  const isEmpty = hasOptions(type) && options.length === 0
  return isEmpty ? { options: fieldStrings.optionMissing } : {}
}

export function FieldSheet({ field, onClose, onDone }: Props) {
  const buckets = useBuckets()
  const form = useSheetForm<CustomField, Values>({
    id: 'custom-field',
    entity: customField,
    row: field ?? null,
    resource: api.fields,
    values: valuesOf(field),
    toBody: bodyOf,
    check: problemsOf,
    explain: errorText({ [LIMIT_REACHED]: fieldStrings.limit, 49004: fieldStrings.typeInUse }),
    onDone,
  })
  const { type, options, privacy } = form.values
  const lost = field ? countLosing(field, options) : 0
  return (
    <FormSheet
      form={form}
      heading={field ? fieldStrings.editNamed(field.name) : fieldStrings.add}
      onClose={onClose}
      deletion={
        field && {
          toast: { text: fieldStrings.isDeleted(field.name) },
          confirm: {
            heading: fieldStrings.deleteAsk(field.name),
            effect: fieldStrings.deleteEffect(membersWith(field).length, memberWord.value),
          },
        }
      }
    >
      <TextField {...form.field('name')} label={strings.name} />
      <TypeField field={field} form={form} />
      {hasOptions(type) && (
        <OptionsField
          texts={fieldStrings}
          options={options}
          problems={form.problems}
          max={customField.fields.options.max ?? 0}
          onChange={(drafts) => form.change('options', drafts)}
        >
          <p class="quiet small" role="status">
            {lost > 0 && fieldStrings.losesOptions(lost, memberWord.value)}
          </p>
        </OptionsField>
      )}
      <div>
        <div class="line-head">
          <span class="label">{fieldStrings.privacy}</span>
          <LevelButton
            label={fieldStrings.privacy}
            level={privacy}
            onChange={(next) => form.change('privacy', next)}
          />
        </div>
        <p class="quiet small">{fieldStrings.privacyMore[privacy]}</p>
      </div>
      <VisibleTo
        buckets={buckets}
        chosen={form.values.buckets ?? defaultsForFields(buckets.data ?? [])}
        onChange={(chosen) => form.change('buckets', chosen)}
      />
    </FormSheet>
  )
}

/** Returns the IDs of the buckets that the server puts a new field in. */
function defaultsForFields(all: readonly Bucket[]): string[] {
  return all.filter(({ default_for }) => default_for.includes('fields')).map(({ id }) => id)
}

interface TypeProps {
  field: CustomField | undefined
  form: SheetForm<Values>
}

/** Type of the values, with the effect of a change on those that exist. */
function TypeField({ field, form }: TypeProps) {
  const { type, options } = form.values
  const count = field ? membersWith(field).length : 0
  const offered = customFieldTypes.filter(
    (other) => count === 0 || other === field?.type || isTextType(other),
  )
  return (
    <ChoiceField
      {...form.field('type')}
      label={fieldStrings.type}
      hint={
        <span role="status">{field && count > 0 && describeTypeChange(field, type, count)}</span>
      }
      options={offered.map((other) => [other, fieldStrings.types[other]])}
      onChange={(value) => {
        const next = customFieldTypes.find((other) => other === value) ?? type
        form.change('type', next)
        if (hasOptions(next) && options.length === 0) form.change('options', draftOptions(1))
      }}
    />
  )
}

function describeTypeChange(field: CustomField, type: CustomField['type'], count: number): string {
  if (type === field.type)
    return isTextType(type) ? '' : fieldStrings.typeFixed(count, memberWord.value)
  return isTextType(field.type)
    ? fieldStrings.keepsText
    : fieldStrings.becomesText(count, memberWord.value)
}

/** Counts the members with a value that names a removed option. */
function countLosing(field: CustomField, options: readonly OptionDraft[]): number {
  const kept = new Set(options.map(({ id }) => id))
  return membersWith(field).filter((member) =>
    chosenOptions(field, fieldValue(member, field)).some(({ id }) => !kept.has(id)),
  ).length
}
