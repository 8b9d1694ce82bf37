import { useState } from 'preact/hooks'
import { keysOfKind, reminderKinds } from '../../../model/reminders/reminder'
import { api } from '../../api/resources'
import type { Reminder } from '../../api/types'
import { showToast } from '../../core/actions'
import { memberWord, zone } from '../../core/store'
import { useAction } from '../../core/useAction'
import { fieldsOf, nowInstant } from '../../lib/time'
import { reminderStrings, strings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { ProblemText } from '../../ui/problemText'
import { SaveButtons } from '../../ui/saveButtons'
import { Sheet } from '../../ui/sheet'
import { explain } from './reminders'

interface Props {
  /** Absent for a new reminder. */
  reminder?: Reminder
  onClose: () => void
  onDone: () => void
}

const units = { minutes: 60, hours: 3_600, days: 86_400 } as const
type Unit = keyof typeof units
const unitNames = Object.keys(units) as Unit[]

const fronters = ['members', 'custom_fronts', 'any'] as const

/** Values of the inputs, as they are typed. */
interface Draft {
  readonly name: string
  readonly text: string
  readonly kind: Reminder['kind']
  readonly days: string
  readonly at: string
  readonly from: string
  readonly length: string
  readonly unit: Unit
  readonly on: (typeof fronters)[number]
}

function draftOf(reminder: Reminder | undefined): Draft {
  const { name = '', text, kind = 'repeat', every_days, at, from, on } = reminder ?? {}
  const after = reminder?.after ?? units.hours
  const unit = unitNames.findLast((one) => after % units[one] === 0) ?? 'minutes'
  return {
    name,
    text: text ?? '',
    kind,
    days: String(every_days ?? 1),
    at: at ?? '09:00',
    from: from ?? fieldsOf(nowInstant(), zone.value).date,
    length: String(after / units[unit]),
    unit,
    on: on ?? 'members',
  }
}

/** Returns the body of a request. */
function bodyOf({ name, text, kind, days, at, from, length, unit, on }: Draft) {
  const own = { name: name.trim(), text: text.trim() === '' ? null : text, kind }
  return kind === 'repeat'
    ? { ...own, every_days: Number(days), at, from }
    : { ...own, after: Math.round(Number(length) * units[unit]), on }
}

function problemsOf({ name, kind, days, at, from, length, unit }: Draft): Record<string, string> {
  const after = Number(length) * units[unit]
  const isRepeat = kind === 'repeat'
  const isDays = /^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= 365
  return {
    ...(name.trim() === '' && { name: reminderStrings.nameMissing }),
    ...(isRepeat && !isDays && { days: reminderStrings.daysProblem }),
    ...(isRepeat && at === '' && { at: reminderStrings.timeMissing }),
    ...(isRepeat && from === '' && { from: reminderStrings.dateMissing }),
    ...(!isRepeat &&
      !(after >= 60 && after <= 2_592_000) && { after: reminderStrings.afterProblem }),
  }
}

/** Adds or edits a reminder. */
export function ReminderSheet({ reminder, onClose, onDone }: Props) {
  const [before] = useState(() => draftOf(reminder))
  const [draft, setDraft] = useState(before)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const { onSubmit, run, problem, isBusy } = useAction({ explain })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before)
  const change = (patch: Partial<Draft>) => {
    setDraft({ ...draft, ...patch })
    setProblems({})
  }
  const save = async () => {
    const found = problemsOf(draft)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    if (reminder && !isChanged) return onClose()
    const body = bodyOf(draft)
    if (reminder) await api.reminders.patch(reminder.id, body)
    else await api.reminders.create(body)
    showToast({ text: reminder ? strings.isSaved : reminderStrings.isAdded(body.name) })
    onDone()
  }
  const remove = (of: Reminder) =>
    run(async () => {
      await api.reminders.remove(of.id)
      showToast({
        text: reminderStrings.isDeleted(of.name),
        undo: { kind: 'create', path: api.reminders.list, body: copyOf(of) },
      })
      onDone()
    })
  return (
    <Sheet
      heading={reminder ? reminderStrings.editNamed(reminder.name) : reminderStrings.add}
      isChanged={isChanged}
      onClose={onClose}
    >
      <form onSubmit={onSubmit(save)} noValidate>
        <label class="field">
          {reminderStrings.name}
          <input
            value={draft.name}
            dir="auto"
            autocomplete="off"
            maxLength={100}
            aria-invalid={'name' in problems}
            aria-describedby="reminder-name-problem"
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        </label>
        <ProblemText id="reminder-name-problem" text={problems.name ?? ''} />
        <label class="field">
          {reminderStrings.text}
          <textarea
            rows={2}
            value={draft.text}
            dir="auto"
            maxLength={500}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        </label>
        <ChipGroup
          legend={reminderStrings.when}
          options={reminderKinds.map((kind) => [kind, reminderStrings.kinds[kind]] as const)}
          value={draft.kind}
          onChange={(kind) => change({ kind })}
        />
        {draft.kind === 'repeat' ? (
          <RepeatFields draft={draft} problems={problems} onChange={change} />
        ) : (
          <SwitchFields draft={draft} problems={problems} onChange={change} />
        )}
        <SaveButtons
          isNew={!reminder}
          isBusy={isBusy}
          problem={problem}
          onDelete={reminder && (() => remove(reminder))}
        />
      </form>
    </Sheet>
  )
}

interface PartProps {
  draft: Draft
  problems: Readonly<Record<string, string>>
  onChange: (patch: Partial<Draft>) => void
}

function RepeatFields({ draft, problems, onChange }: PartProps) {
  return (
    <>
      <label class="field">
        {reminderStrings.everyDays}
        <input
          type="number"
          min={1}
          max={365}
          inputMode="numeric"
          value={draft.days}
          aria-invalid={'days' in problems}
          aria-describedby="reminder-repeat-problem"
          onInput={(event) => onChange({ days: event.currentTarget.value })}
        />
      </label>
      <div class="time-fields">
        <label class="field">
          {reminderStrings.time}
          <input
            type="time"
            value={draft.at}
            aria-invalid={'at' in problems}
            aria-describedby="reminder-repeat-problem"
            onInput={(event) => onChange({ at: event.currentTarget.value.slice(0, 5) })}
          />
        </label>
        <label class="field">
          {reminderStrings.from}
          <input
            type="date"
            value={draft.from}
            aria-invalid={'from' in problems}
            aria-describedby="reminder-repeat-problem"
            onInput={(event) => onChange({ from: event.currentTarget.value })}
          />
        </label>
      </div>
      <ProblemText
        id="reminder-repeat-problem"
        text={problems.days ?? problems.at ?? problems.from ?? ''}
      />
    </>
  )
}

function SwitchFields({ draft, problems, onChange }: PartProps) {
  return (
    <>
      <div class="time-fields">
        <label class="field">
          {reminderStrings.howLong}
          <input
            type="number"
            min={0}
            step="any"
            inputMode="decimal"
            value={draft.length}
            aria-invalid={'after' in problems}
            aria-describedby="reminder-after-problem"
            onInput={(event) => onChange({ length: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          {reminderStrings.unit}
          <select
            value={draft.unit}
            onChange={({ currentTarget: { value } }) =>
              onChange({ unit: unitNames.find((one) => one === value) ?? draft.unit })
            }
          >
            {unitNames.map((unit) => (
              <option key={unit} value={unit}>
                {reminderStrings.units[unit]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ProblemText id="reminder-after-problem" text={problems.after ?? ''} />
      <label class="field">
        {reminderStrings.who}
        <select
          value={draft.on}
          onChange={({ currentTarget: { value } }) =>
            onChange({ on: fronters.find((one) => one === value) ?? draft.on })
          }
        >
          {fronters.map((one) => (
            <option key={one} value={one}>
              {reminderStrings.fronters[one](memberWord.value)}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}

/** Returns what is needed to create a deleted reminder again. */
function copyOf(of: Reminder): object {
  const keys = ['name', 'text', 'kind', 'enabled', ...keysOfKind[of.kind]] as const
  return Object.fromEntries(keys.map((key) => [key, of[key]]))
}
