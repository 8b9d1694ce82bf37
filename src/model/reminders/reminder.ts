import { type Draft, entity, type Patch, type Row, withKeys } from '../core/entity'
import type { Problems } from '../core/errors'
import {
  date,
  flag,
  nullableChoice,
  nullableNumber,
  required,
  requiredChoice,
  text,
  timeOfDay,
  timestamp,
} from '../core/field'
import { HOUR, type Instant, MINUTE } from '../core/time'
import { Problem } from '../core/validation'

/** Age up to which a switch sets reminders that are due some time after it. */
export const MAX_SWITCH_AGE = 10 * MINUTE

/** Time after which a reminder that was due while no server ran is skipped. */
const MAX_DELAY = 6 * HOUR

/** Returns whether a reminder that is due at this time is fired now: neither early nor too late. */
export function isFiring(due: Instant, now: Instant): boolean {
  return due <= now && now - due < MAX_DELAY
}

export const reminderKinds = ['repeat', 'after_switch'] as const
export type ReminderKind = (typeof reminderKinds)[number]

export const reminder = entity('reminder', {
  name: required({ max: 100, doc: 'Name', example: 'Log your front' }),
  text: text({ max: 500, doc: 'Text', example: 'Who is here?' }),
  kind: requiredChoice(reminderKinds, {
    doc: '`repeat` is due every few days, `after_switch` some time after a switch',
    example: 'repeat',
  }),
  every_days: nullableNumber({
    min: 1,
    max: 365,
    doc: 'Of `repeat`: number of days from one to the next',
    example: 1,
  }),
  at: timeOfDay({ doc: "Of `repeat`: time in the system's time zone", example: '09:00' }),
  from: date({ doc: 'Of `repeat`: first day', example: '2026-03-22' }),
  after: nullableNumber({
    min: 60,
    max: 2_592_000,
    doc: 'Of `after_switch`: seconds after the switch',
  }),
  on: nullableChoice(['members', 'custom_fronts', 'any'], {
    doc: 'Of `after_switch`: which fronters count',
  }),
  enabled: flag(true, { doc: 'Whether the reminder is on' }),
  due: timestamp({ doc: 'When it is due next; null if that is not known' }),
  last_fired: timestamp({ doc: 'When it was due last' }),
  created: timestamp({ doc: 'When the reminder was created' }),
})

/** Fields that an export contains. `due` follows from the rest. */
export const exportedReminder = withKeys(
  reminder,
  reminder.entries.map(([key]) => key).filter((key) => key !== 'due'),
)

export type Reminder = Row<typeof reminder>
export type ReminderDraft = Draft<typeof reminder>
export type ReminderPatch = Patch<typeof reminder>

/** Keys of each kind, which the other kind does not have. */
export const keysOfKind = {
  repeat: ['every_days', 'at', 'from'],
  after_switch: ['after', 'on'],
} as const satisfies Record<ReminderKind, readonly (keyof Reminder)[]>

/** Days between which times can be computed and stored. */
const [FIRST_DAY, LAST_DAY] = ['1900-01-01', '2199-12-31']

/** Returns problems that field validation does not detect. */
export function validateReminder(row: Reminder): Problems {
  const problems: Problems = {}
  for (const kind of reminderKinds)
    for (const key of keysOfKind[kind])
      if (kind === row.kind && row[key] === null) problems[key] = [new Problem('required')]
      else if (kind !== row.kind && row[key] !== null)
        problems[key] = [new Problem('only_for_kind', { kind })]
  const { from } = row
  if (from !== null && (from < FIRST_DAY || from > LAST_DAY))
    problems.from ??= [new Problem('outside_days', { first: FIRST_DAY, last: LAST_DAY })]
  return problems
}
