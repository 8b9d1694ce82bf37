import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { request } from '../api/client'
import { settingsPath } from '../api/paths'
import { api } from '../api/resources'
import type { Reminder } from '../api/types'
import { announce, showToast } from '../core/actions'
import { deviceZone, front, isOffline, settings } from '../core/store'
import { useAction } from '../core/useAction'
import { useQuery } from '../core/useQuery'
import { Notifications } from '../features/push/notificationsCard'
import { ReminderSheet } from '../features/reminders/reminderSheet'
import { describeDue, describeRule } from '../features/reminders/reminders'
import { reminderStrings, strings } from '../texts/texts'
import { CheckField } from '../ui/checkField'
import { EditableList, EditButton } from '../ui/editableList'
import { ProblemText } from '../ui/problemText'
import { ZoneNote } from '../ui/zoneNote'

/** IDs of reminders whose offer was answered since the page was loaded. */
const answered = signal<ReadonlySet<string>>(new Set())

/** All reminders, with a switch for each. */
export function Reminders() {
  const reminders = useQuery(api.reminders.list, 'reminders')
  const { data, reload } = reminders
  const { id, timestamp } = front.value ?? { id: '', timestamp: 0 }
  // Switches and the time zone change when reminders are due.
  useEffect(reload, [id, timestamp, settings.value?.timezone])
  const hasRepeating = data?.some(({ kind }) => kind === 'repeat') ?? false
  return (
    <EditableList<Reminder>
      title={strings.reminders}
      add={reminderStrings.add}
      none={reminderStrings.none}
      query={reminders}
      below={<Notifications isOffer />}
      sheet={({ row, ...props }) => <ReminderSheet reminder={row} {...props} />}
    >
      {(all, onEdit) => (
        <>
          {hasRepeating && <MissingZone />}
          <Offer all={all} reload={reload} />
          <ReminderList all={all} reload={reload} onEdit={onEdit} />
          <ZoneNote />
        </>
      )}
    </EditableList>
  )
}

interface ListProps {
  all: readonly Reminder[]
  reload: () => void
  onEdit: (reminder: Reminder) => void
}

function ReminderList({ all, reload, onEdit }: ListProps) {
  return (
    <ul class="card things">
      {all.map((reminder) => (
        <li key={reminder.id}>
          <ReminderSwitch reminder={reminder} reload={reload} />
          <EditButton
            label={reminderStrings.editNamed(reminder.name)}
            onClick={() => onEdit(reminder)}
          />
        </li>
      ))}
    </ul>
  )
}

function ReminderSwitch({ reminder, reload }: { reminder: Reminder; reload: () => void }) {
  const { id, name, text, enabled } = reminder
  const [isOn, setOn] = useState(enabled)
  const { run, problem } = useAction()
  useEffect(() => setOn(enabled), [enabled])
  const turn = (next: boolean) =>
    run(async () => {
      setOn(next)
      answered.value = new Set([...answered.value, id])
      try {
        await api.reminders.patch(id, { enabled: next })
      } catch (cause) {
        setOn(!next)
        throw cause
      }
      announce(next ? reminderStrings.isOn(name) : reminderStrings.isOff(name))
      reload()
    })
  return (
    <div class="about">
      <CheckField
        id={`on-${id}`}
        label={<bdi class="name">{name}</bdi>}
        hint={
          <>
            {text !== null && <div dir="auto">{text}</div>}
            <div>{describeRule(reminder)}</div>
            <div>{describeDue(reminder)}</div>
          </>
        }
        isSwitch
        value={isOn}
        onChange={turn}
      />
      <ProblemText text={problem} />
    </div>
  )
}

/** Offers to turn on reminders that were never on, as those of an import. */
function Offer({ all, reload }: { all: readonly Reminder[]; reload: () => void }) {
  const { run, problem, isBusy } = useAction()
  const offered = all.filter(
    ({ id, enabled, last_fired }) => !enabled && last_fired === null && !answered.value.has(id),
  )
  if (offered.length === 0) return null
  const answer = () => {
    answered.value = new Set([...answered.value, ...offered.map(({ id }) => id)])
    document.querySelector('h1')?.focus()
  }
  const turnOn = () =>
    run(async () => {
      for (const reminder of offered) await api.reminders.patch(reminder.id, { enabled: true })
      showToast({ text: reminderStrings.areOn(offered.length) })
      answer()
      reload()
    })
  return (
    <section class="card" aria-label={reminderStrings.offered}>
      <p>{reminderStrings.offer(offered.length)}</p>
      <ProblemText text={problem} />
      <div class="row">
        <button
          type="button"
          class="main"
          aria-disabled={isOffline.value}
          aria-busy={isBusy || undefined}
          onClick={turnOn}
        >
          {reminderStrings.turnOn(offered.length)}
        </button>
        <button type="button" onClick={answer}>
          {reminderStrings.notNow}
        </button>
      </div>
    </section>
  )
}

/**
 * Offers the zone of this device while the system has none. Other pages then show times of the
 * device, but the server computes in UTC.
 */
function MissingZone() {
  const { run, problem, isBusy } = useAction()
  const zone = deviceZone()
  if (settings.value?.timezone !== 'UTC' || zone === 'UTC') return null
  const use = () =>
    run(async () => {
      const body = { timezone: zone }
      settings.value = await request(settingsPath, { method: 'PATCH', body })
      showToast({ text: reminderStrings.zoneIsSet(zone) })
    })
  return (
    <section class="card">
      <p>{reminderStrings.noZone}</p>
      <ProblemText text={problem} />
      <button
        type="button"
        class="main"
        aria-disabled={isOffline.value}
        aria-busy={isBusy || undefined}
        onClick={use}
      >
        {reminderStrings.useZone(zone)}
      </button>
    </section>
  )
}
