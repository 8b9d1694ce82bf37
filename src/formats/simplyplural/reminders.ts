import { isEmptyPatch, type JsonObject, type Row } from '../../model/core/entity'
import { isObject, Problem } from '../../model/core/validation'
import { type ReminderPatch, reminder, validateReminder } from '../../model/reminders/reminder'
import type { Subject } from '../bundle'
import { nameOr, textOf } from '../repair'
import type { ReadContext } from './readContext'
import { type AppRow, createdAt } from './rows'

/** Adds reminders. They are off, so that nothing is sent unasked. */
export function readReminders(context: ReadContext): void {
  for (const row of context.rows('repeatedReminders'))
    readReminder(context, 'repeatedReminders', row, {
      kind: 'repeat',
      every_days: numberOf(row.dayInterval),
      at: timeOfDayOf(row.time),
      from: dateOf(row.startTime),
    })
  for (const row of context.rows('automatedReminders'))
    readReminder(context, 'automatedReminders', row, {
      kind: 'after_switch',
      after: secondsOf(row.delayInHours),
      on: choices[numberOf(row.type) ?? -1] ?? null,
    })
}

const importedKeys = {
  repeatedReminders: ['name', 'message', 'dayInterval', 'time', 'startTime', 'action'],
  automatedReminders: ['name', 'message', 'delayInHours', 'type', 'action'],
} as const

/** Fronters that a reminder counts, by the number in the file. */
const choices = ['members', 'custom_fronts', 'any'] as const

function readReminder(
  context: ReadContext,
  collection: keyof typeof importedKeys,
  row: AppRow,
  rule: ReminderPatch,
): void {
  const { log } = context
  const subject: Subject = { kind: 'reminder', name: textOf(row.name) ?? null }
  if (!isStorable(rule)) {
    const why = 'reminder_archived'
    log.dropRow('reminders', subject, 'reminder', null, why)
    context.archiveRest(collection, row, null)
    return
  }
  const { values } = context.add(
    'reminders',
    reminder,
    { collection, id: row._id },
    { name: textOf(row.name), text: textOf(row.message) },
    { subject, values: { ...rule, enabled: false, created: createdAt(row, null) } },
  )
  values.name = nameOr(textOf(values.name), null, subject, log)
  context.archiveRest(collection, row, importedKeys[collection])
}

/** Returns true if every value is one of the field table, and none is missing. */
function isStorable(rule: ReminderPatch): boolean {
  const values: JsonObject = rule
  const isParsed = reminder.entries.every(
    ([key, field]) => values[key] === undefined || !(field.parse(values[key]) instanceof Problem),
  )
  const whole = { ...reminder.defaults, ...rule } as Row<typeof reminder>
  return isParsed && isEmptyPatch(validateReminder(whole))
}

/** Parses a number, or digits. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  const text = textOf(value)?.trim() ?? ''
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : null
}

function secondsOf(hours: unknown): number | null {
  const parsed = numberOf(hours)
  return parsed === null ? null : Math.round(parsed * 3_600)
}

function timeOfDayOf(time: unknown): string | null {
  return isObject(time) ? joined([time.hour, time.minute], [2, 2], ':') : null
}

function dateOf(day: unknown): string | null {
  return isObject(day) ? joined([day.year, day.month, day.day], [4, 2, 2], '-') : null
}

/** Joins numbers, each with its number of digits; null if one of them is none. */
function joined(
  parts: readonly unknown[],
  lengths: readonly number[],
  separator: string,
): string | null {
  const digits = parts.map((part, index) => {
    const number = numberOf(part)
    return number === null ? '?' : String(number).padStart(lengths[index] ?? 0, '0')
  })
  return digits.includes('?') ? null : digits.join(separator)
}
