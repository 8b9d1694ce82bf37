import {
  keysOfKind,
  type ReminderKind,
  reminderKinds,
  reminder as table,
} from '../../../model/reminders/reminder'
import { api } from '../../api/resources'
import type { Reminder } from '../../api/types'
import { errorText, LIMIT_REACHED } from '../../core/errorText'
import { memberWord, zone } from '../../core/store'
import { fieldsOf, nowInstant } from '../../lib/time'
import { reminderStrings, strings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { AreaField, ChoiceField } from '../../ui/form/fields'
import { FormSheet, type SheetForm, useSheetForm } from '../../ui/form/sheetForm'
import { TextField } from '../../ui/form/textField'

interface Props {
  /** Absent for a new reminder. */
  reminder: Reminder | undefined
  onClose: () => void
  onDone: () => void
}

const units = { minutes: 60, hours: 3_600, days: 86_400 } as const
type Unit = keyof typeof units
const unitNames = Object.keys(units) as Unit[]

const fronters = ['members', 'custom_fronts', 'any'] as const

function valuesOf(reminder: Reminder | undefined) {
  const { name = '', text, kind = 'repeat', every_days, at, from, on } = reminder ?? {}
  const after = reminder?.after ?? units.hours
  const unit = unitNames.findLast((longest) => after % units[longest] === 0) ?? 'minutes'
  return {
    name,
    text: text ?? '',
    kind: kind as ReminderKind,
    every_days: String(every_days ?? 1),
    at: at ?? '09:00',
    from: from ?? fieldsOf(nowInstant(), zone.value).date,
    /** In the unit, which is not sent. */
    after: String(after / units[unit]),
    unit,
    on: on ?? 'members',
  }
}
type Values = ReturnType<typeof valuesOf>

function secondsOf({ after, unit }: Values): number {
  return Math.round(Number(after) * units[unit])
}

function bodyOf(values: Values) {
  const { name, text, kind, every_days, at, from, on } = values
  return kind === 'repeat'
    ? { name, text, kind, every_days: Number(every_days), at, from }
    : { name, text, kind, after: secondsOf(values), on }
}

function problemsOf(values: Values): Record<string, string> {
  const { kind, every_days, at, from } = values
  const isDays = /^\d+$/.test(every_days) && Number(every_days) >= 1 && Number(every_days) <= 365
  const after = secondsOf(values)
  return kind === 'repeat'
    ? {
        ...(!isDays && { every_days: reminderStrings.daysProblem }),
        ...(at === '' && { at: reminderStrings.timeMissing }),
        ...(from === '' && { from: reminderStrings.dateMissing }),
      }
    : { ...(!(after >= 60 && after <= 2_592_000) && { after: reminderStrings.afterProblem }) }
}

export function ReminderSheet({ reminder, onClose, onDone }: Props) {
  const form = useSheetForm({
    id: 'reminder',
    entity: table,
    row: reminder ?? null,
    resource: api.reminders,
    values: valuesOf(reminder),
    toBody: bodyOf,
    check: problemsOf,
    explain: errorText({ [LIMIT_REACHED]: reminderStrings.limit }),
    onDone,
  })
  const { kind } = form.values
  return (
    <FormSheet
      form={form}
      heading={reminder ? reminderStrings.editNamed(reminder.name) : reminderStrings.add}
      onClose={onClose}
      deletion={
        reminder && {
          toast: {
            text: reminderStrings.isDeleted(reminder.name),
            undo: { kind: 'create', path: api.reminders.list, body: copyOf(reminder) },
          },
        }
      }
    >
      <TextField {...form.field('name')} label={strings.name} />
      <AreaField {...form.field('text')} label={reminderStrings.text} rows={2} />
      <ChipGroup
        legend={reminderStrings.when}
        options={reminderKinds.map((choice) => [choice, reminderStrings.kinds[choice]] as const)}
        value={kind}
        onChange={(choice) => form.change('kind', choice)}
      />
      {kind === 'repeat' ? <RepeatFields form={form} /> : <SwitchFields form={form} />}
    </FormSheet>
  )
}

function RepeatFields({ form }: { form: SheetForm<Values> }) {
  return (
    <>
      <TextField
        {...form.field('every_days')}
        label={reminderStrings.everyDays}
        input={{ type: 'number', min: 1, max: 365, inputMode: 'numeric' }}
      />
      <div class="time-fields">
        <TextField
          {...form.field('at')}
          label={reminderStrings.time}
          onChange={(time) => form.change('at', time.slice(0, 5))}
          input={{ type: 'time' }}
        />
        <TextField {...form.field('from')} label={reminderStrings.from} input={{ type: 'date' }} />
      </div>
    </>
  )
}

function SwitchFields({ form }: { form: SheetForm<Values> }) {
  return (
    <>
      <div class="time-fields">
        <TextField
          {...form.field('after')}
          label={reminderStrings.howLong}
          input={{ type: 'number', min: 0, step: 'any', inputMode: 'decimal' }}
        />
        <ChoiceField
          {...form.field('unit')}
          label={reminderStrings.unit}
          options={unitNames.map((unit) => [unit, reminderStrings.units[unit]])}
        />
      </div>
      <ChoiceField
        {...form.field('on')}
        label={reminderStrings.who}
        options={fronters.map((who) => [who, reminderStrings.fronters[who](memberWord.value)])}
      />
    </>
  )
}

/** Returns what is needed to create a deleted reminder again. */
function copyOf(reminder: Reminder): object {
  const keys = ['name', 'text', 'kind', 'enabled', ...keysOfKind[reminder.kind]] as const
  return Object.fromEntries(keys.map((key) => [key, reminder[key]]))
}
