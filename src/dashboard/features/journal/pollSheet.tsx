import { DAY, formatInstant, parseInstant } from '../../../model/core/time'
import { MAX_OPTIONS, poll as table } from '../../../model/journal/poll'
import { api } from '../../api/resources'
import type { Poll } from '../../api/types'
import { zone } from '../../core/store'
import { fieldsOf, instantOf, nowInstant } from '../../lib/time'
import { journalStrings, strings } from '../../texts/texts'
import { AreaField } from '../../ui/form/fields'
import { draftOptions, type OptionDraft, OptionsField, optionsOf } from '../../ui/form/optionsField'
import { FormSheet, useSheetForm } from '../../ui/form/sheetForm'
import { TextField } from '../../ui/form/textField'
import { TimeFields } from '../../ui/form/timeFields'
import { explain } from './journal'

interface Props {
  /** Null for a new one. */
  poll: Poll | null
  onSaved: () => void
  onClose: () => void
}

interface Ends {
  readonly date: string
  readonly time: string
}

function valuesOf(poll: Poll | null) {
  const end = parseInstant(poll?.ends ?? '')
  return {
    name: poll?.name ?? '',
    about: poll?.about ?? '',
    options: draftOptions(poll?.options ?? 2) as readonly OptionDraft[],
    /** Local time; null if voting does not end. */
    ends: (end === null ? null : fieldsOf(end, zone.value)) as Ends | null,
  }
}
type Values = ReturnType<typeof valuesOf>

function endOf({ ends }: Values) {
  return ends && instantOf(ends.date, ends.time, zone.value)
}

function bodyOf(values: Values) {
  const { name, about, options } = values
  const end = endOf(values)
  return {
    name,
    about,
    options: optionsOf(options),
    ends: end === null ? null : formatInstant(end),
  }
}

function problemsOf(values: Values): Record<string, string> {
  const { name, options, ends } = values
  return {
    ...(name.trim() === '' && { name: journalStrings.enterQuestion }),
    ...(options.length === 0 && { options: journalStrings.needsOption }),
    ...Object.fromEntries(
      options.flatMap((option, index) =>
        option.name.trim() === '' ? [[`options.${index}.name`, journalStrings.enterOptions]] : [],
      ),
    ),
    ...(ends !== null && endOf(values) === null && { ends: strings.notATime }),
  }
}

export function PollSheet({ poll, onSaved, onClose }: Props) {
  const form = useSheetForm({
    id: 'poll',
    entity: table,
    row: poll,
    resource: api.polls,
    values: valuesOf(poll),
    toBody: bodyOf,
    check: problemsOf,
    explain,
    onDone() {
      onClose()
      onSaved()
    },
  })
  const { options, ends } = form.values
  const isRemoving = (poll?.options ?? []).some(
    ({ id }) => !options.some((option) => option.id === id) && (poll?.counts[id] ?? 0) > 0,
  )
  return (
    <FormSheet
      form={form}
      heading={poll ? journalStrings.editPoll : journalStrings.addPoll}
      onClose={onClose}
    >
      <TextField {...form.field('name')} label={journalStrings.question} />
      <AreaField {...form.field('about')} label={journalStrings.pollAbout} rows={2} />
      <OptionsField
        texts={journalStrings}
        options={options}
        problems={form.problems}
        max={MAX_OPTIONS}
        onChange={(drafts) => form.change('options', drafts)}
        more={({ veto }, index, change) => (
          <label class="check">
            <input
              type="checkbox"
              aria-label={journalStrings.isVetoOf(index + 1)}
              checked={veto === true}
              onChange={(event) => change({ veto: event.currentTarget.checked })}
            />
            {journalStrings.isVeto}
          </label>
        )}
      >
        <div role="status">
          {isRemoving && <p class="note">{journalStrings.removeOptionEffect}</p>}
        </div>
      </OptionsField>
      <label class="check">
        <input
          type="checkbox"
          checked={ends !== null}
          onChange={({ currentTarget: { checked } }) =>
            form.change('ends', checked ? fieldsOf(nowInstant() + 7 * DAY, zone.value) : null)
          }
        />
        {journalStrings.endsAt}
      </label>
      {ends && (
        <TimeFields
          {...ends}
          problem={form.problems.ends ?? ''}
          onChange={(fields) => form.change('ends', fields)}
        />
      )}
    </FormSheet>
  )
}
