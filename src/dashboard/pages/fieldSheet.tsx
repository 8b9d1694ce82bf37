import { useState } from 'preact/hooks'
import { diff, type JsonObject, parsePartial, type Row } from '../../model/core/entity'
import type { Option } from '../../model/core/field'
import { customField, customFieldTypes, hasOptions } from '../../model/members/customField'
import { isTextType } from '../../model/members/fieldValue'
import { ApiError, errorMessage, problemMessage } from '../api/client'
import { api } from '../api/resources'
import type { Bucket, CustomField } from '../api/types'
import { showToast } from '../core/actions'
import { chosenOptions, fieldValue, membersWith } from '../core/customFields'
import { memberWord } from '../core/store'
import { useAction } from '../core/useAction'
import { VisibleTo } from '../features/friends/bucketChecks'
import { useBuckets } from '../features/friends/friends'
import { editStrings, fieldStrings, strings } from '../texts/texts'
import { ColorInput } from '../ui/colorInput'
import { ConfirmSheet } from '../ui/confirmSheet'
import { Icon } from '../ui/icon'
import { LevelButton } from '../ui/privacySwitch'
import { ProblemText } from '../ui/problemText'
import { SaveButtons } from '../ui/saveButtons'
import { Sheet } from '../ui/sheet'

interface Props {
  /** Absent for a new field. */
  field?: CustomField
  onClose: () => void
  onDone: () => void
}

type Draft = Pick<CustomField, 'name' | 'type' | 'options' | 'privacy'> & {
  /** Absent if a new field gets the default buckets. */
  buckets?: string[]
}

const emptyDraft: Draft = { name: '', type: 'text', options: null, privacy: 'private' }
const emptyOption: Option = { id: '', name: '', color: null }

/** Adds or edits a custom field. */
export function FieldSheet({ field, onClose, onDone }: Props) {
  const buckets = useBuckets()
  const [before] = useState<Draft>(field ? draftOf(field) : emptyDraft)
  const [draft, setDraft] = useState(before)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [isDeleting, setDeleting] = useState(false)
  const { onSubmit, run, problem, isBusy } = useAction({ explain })
  const changes = diff<typeof customField>(before as Row<typeof customField>, draft)
  const isChanged = Object.keys(changes).length > 0
  const change = (patch: Partial<Draft>) => {
    setDraft({ ...draft, ...patch })
    setProblems({})
  }
  const save = async () => {
    const found = problemsOf(draft)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    if (field && !isChanged) return onClose()
    try {
      if (field) await api.fields.patch(field.id, changes)
      else await api.fields.create(draft)
    } catch (cause) {
      if (cause instanceof ApiError) setProblems(texts(cause.problems))
      throw cause
    }
    showToast({ text: field ? strings.isSaved : fieldStrings.isAdded(draft.name) })
    onDone()
  }
  const remove = (of: CustomField) =>
    run(async () => {
      await api.fields.remove(of.id)
      showToast({ text: fieldStrings.isDeleted(of.name) })
      onDone()
    })
  return (
    <Sheet
      heading={field ? fieldStrings.editNamed(field.name) : fieldStrings.add}
      isChanged={isChanged}
      onClose={onClose}
    >
      <form onSubmit={onSubmit(save)} noValidate>
        <label class="field">
          {strings.name}
          <input
            value={draft.name}
            dir="auto"
            autocomplete="off"
            aria-invalid={'name' in problems}
            aria-describedby="field-name-problem"
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        </label>
        <ProblemText id="field-name-problem" text={problems.name ?? ''} />
        <TypeField field={field} draft={draft} onChange={change} />
        {hasOptions(draft.type) && (
          <OptionsField field={field} draft={draft} problems={problems} onChange={change} />
        )}
        <div>
          <div class="line-head">
            <span class="label">{fieldStrings.privacy}</span>
            <LevelButton
              label={fieldStrings.privacy}
              level={draft.privacy}
              onChange={(next) => change({ privacy: next })}
            />
          </div>
          <p class="quiet small">{fieldStrings.privacyMore[draft.privacy]}</p>
        </div>
        <VisibleTo
          buckets={buckets}
          chosen={draft.buckets ?? defaultsForFields(buckets.data ?? [])}
          onChange={(chosen) => change({ buckets: [...chosen] })}
        />
        <SaveButtons
          isNew={!field}
          isBusy={isBusy}
          problem={problem}
          onDelete={field && (() => setDeleting(true))}
        />
      </form>
      {field && isDeleting && (
        <ConfirmSheet
          heading={fieldStrings.deleteAsk(field.name)}
          effect={fieldStrings.deleteEffect(membersWith(field).length, memberWord.value)}
          action={strings.delete}
          onConfirm={() => remove(field)}
          onClose={() => setDeleting(false)}
        />
      )}
    </Sheet>
  )
}

function draftOf({ name, type, options, privacy, buckets = [] }: CustomField): Draft {
  return { name, type, options, privacy, buckets: [...buckets] }
}

/** Returns the IDs of the buckets that the server puts a new field in. */
function defaultsForFields(all: readonly Bucket[]): string[] {
  return all.filter(({ default_for }) => default_for.includes('fields')).map(({ id }) => id)
}

interface PartProps {
  field: CustomField | undefined
  draft: Draft
  onChange: (patch: Partial<Draft>) => void
}

/** Type of the values, with the effect of a change on those that exist. */
function TypeField({ field, draft, onChange }: PartProps) {
  const count = field ? membersWith(field).length : 0
  const offered = customFieldTypes.filter(
    (type) => count === 0 || type === field?.type || isTextType(type),
  )
  return (
    <>
      <label class="field">
        {fieldStrings.type}
        <select
          value={draft.type}
          aria-describedby="type-more"
          onChange={({ currentTarget: { value } }) => {
            const type = customFieldTypes.find((one) => one === value) ?? draft.type
            const options = hasOptions(type) ? (draft.options ?? [emptyOption]) : null
            onChange({ type, options })
          }}
        >
          {offered.map((type) => (
            <option key={type} value={type}>
              {fieldStrings.types[type]}
            </option>
          ))}
        </select>
      </label>
      <p id="type-more" class="quiet small" role="status">
        {field && count > 0 && describeTypeChange(field, draft, count)}
      </p>
    </>
  )
}

function describeTypeChange(field: CustomField, { type }: Draft, count: number): string {
  if (type === field.type)
    return isTextType(type) ? '' : fieldStrings.typeFixed(count, memberWord.value)
  return isTextType(field.type)
    ? fieldStrings.keepsText
    : fieldStrings.becomesText(count, memberWord.value)
}

interface OptionsProps extends PartProps {
  problems: Readonly<Record<string, string>>
}

/** Editable list of the options, each with a name and a colour. */
function OptionsField({ field, draft, problems, onChange }: OptionsProps) {
  const options = draft.options ?? []
  const change = (at: number, patch: Partial<Option>) =>
    onChange({ options: options.map((one, index) => (index === at ? { ...one, ...patch } : one)) })
  const lost = field ? countLosing(field, options) : 0
  return (
    <fieldset class="choice line">
      <legend>{fieldStrings.options}</legend>
      {options.map((option, at) => (
        <fieldset key={option.id || at} class="tag-row" aria-label={fieldStrings.option(at + 1)}>
          <label class="field">
            {fieldStrings.option(at + 1)}
            <input
              value={option.name}
              dir="auto"
              autocomplete="off"
              aria-invalid={`options.${at}.name` in problems}
              aria-describedby={`option-${at}-problem`}
              onInput={(event) => change(at, { name: event.currentTarget.value })}
            />
          </label>
          <div style={{ flex: '1 1 11.5rem' }}>
            <ColorInput
              aria-label={editStrings.fields(memberWord.value).color}
              aria-invalid={`options.${at}.color` in problems}
              aria-describedby={`option-${at}-problem`}
              value={option.color ?? ''}
              onChange={(color) => change(at, { color: color === '' ? null : color })}
            />
          </div>
          <button
            type="button"
            class="round"
            aria-label={fieldStrings.removeOption(at + 1)}
            onClick={() => onChange({ options: options.toSpliced(at, 1) })}
          >
            <Icon name="close" />
          </button>
          <ProblemText
            id={`option-${at}-problem`}
            text={problems[`options.${at}.name`] ?? problems[`options.${at}.color`] ?? ''}
          />
        </fieldset>
      ))}
      <p class="quiet small" role="status">
        {lost > 0 && fieldStrings.losesOptions(lost, memberWord.value)}
      </p>
      <ProblemText text={problems.options ?? ''} />
      <button type="button" onClick={() => onChange({ options: [...options, emptyOption] })}>
        <Icon name="plus" />
        {fieldStrings.addOption}
      </button>
    </fieldset>
  )
}

/** Counts the members with a value that names a removed option. */
function countLosing(field: CustomField, options: readonly Option[]): number {
  const kept = new Set(options.map(({ id }) => id))
  return membersWith(field).filter((one) =>
    chosenOptions(field, fieldValue(one, field)).some(({ id }) => !kept.has(id)),
  ).length
}

/** Describes the problems that the field table finds, by key. */
function problemsOf(draft: Draft): Record<string, string> {
  const found = texts(parsePartial(customField, { values: draft as JsonObject }).problems)
  return {
    ...found,
    ...(draft.name.trim() === '' && { name: fieldStrings.nameMissing }),
    ...(hasOptions(draft.type) &&
      (draft.options ?? []).length === 0 && { options: fieldStrings.optionMissing }),
  }
}

function texts(problems: ApiError['problems']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problems).map(([key, [first]]) => [key, first ? problemMessage(first) : '']),
  )
}

function explain(cause: unknown): string {
  const code = cause instanceof ApiError ? cause.code : 0
  if (code === 49001) return fieldStrings.limit
  return code === 49004 ? fieldStrings.typeInUse : errorMessage(cause)
}
