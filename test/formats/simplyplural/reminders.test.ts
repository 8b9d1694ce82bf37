import { readSimplyPlural } from '../../../src/formats/simplyplural/read'
import type { JsonObject } from '../../../src/model/core/entity'
import { describe, expect, test } from '../../tools/test'

const ID = '65000000aaaaaaaaaaaaaaaa'
const CREATED = 0x65000000 * 1_000_000

const repeated = {
  _id: ID,
  uid: 'u1',
  name: 'Log your front',
  message: 'Who is here?',
  dayInterval: 1,
  time: { hour: 9, minute: 0 },
  startTime: { year: 2026, month: 3, day: 22 },
  lastOperationTime: 1,
}
const automated = {
  _id: ID,
  uid: 'u1',
  name: 'Front check',
  message: 'Still here?',
  action: 0,
  delayInHours: 1,
  type: 0,
}

function read(collection: string, row: JsonObject) {
  const { ext, kept, repairs, extLeftOut } = readSimplyPlural(
    { members: [{ _id: 'm1', name: 'Wren' }], [collection]: [row] },
    {},
  )
  return {
    reminders: ext.reminders.map(({ values }) => values),
    kept: kept[collection] ?? [],
    longTexts: kept.longTexts ?? [],
    repairs: repairs.filter(({ kind }) => kind === 'reminder'),
    leftOut: extLeftOut.reminders,
  }
}

describe('a repeated reminder', () => {
  test('becomes a reminder that is off', () => {
    expect(read('repeatedReminders', repeated)).toEqual({
      reminders: [
        {
          name: 'Log your front',
          text: 'Who is here?',
          kind: 'repeat',
          every_days: 1,
          at: '09:00',
          from: '2026-03-22',
          enabled: false,
          created: CREATED,
        },
      ],
      kept: [],
      longTexts: [],
      repairs: [],
      leftOut: 0,
    })
  })

  test.each<[string, JsonObject, JsonObject]>([
    [
      'digits in place of numbers',
      {
        dayInterval: '3',
        time: { hour: '20', minute: '05' },
        startTime: { day: '1', month: '1', year: '2026' },
      },
      { every_days: 3, at: '20:05', from: '2026-01-01' },
    ],
    ['an empty message', { message: '' }, { text: null }],
    ['no name', { name: ' ' }, { name: 'Unnamed' }],
  ])('is read with %s', (_, changes, expected) => {
    const { reminders, kept } = read('repeatedReminders', { ...repeated, ...changes })
    const [found = {}] = reminders
    expect({ text: null, ...found }).toMatchObject(expected)
    expect(kept).toEqual([])
  })

  test('is read under the misspelt name of the collection', () => {
    const { ext } = readSimplyPlural(
      { members: [], repeatedRemidners: [repeated], fronters: [] },
      {},
    )
    expect(ext.reminders).toHaveLength(1)
  })

  test.each<[string, JsonObject]>([
    ['a number of days that is too small', { dayInterval: 0 }],
    ['a number of days that is too large', { dayInterval: 366 }],
    ['a part of a day', { dayInterval: 1.5 }],
    ['no number of days', { dayInterval: null }],
    ['an hour that does not exist', { time: { hour: 24, minute: 0 } }],
    ['a negative minute', { time: { hour: 9, minute: -1 } }],
    ['no time', { time: undefined }],
    ['a time that is text', { time: '09:00' }],
    ['a day that does not exist', { startTime: { year: 2026, month: 2, day: 30 } }],
    ['a year that cannot be computed with', { startTime: { year: 99999, month: 1, day: 1 } }],
    ['no first day', { startTime: {} }],
  ])('stays archived and is reported with %s', (_, changes) => {
    const row = { ...repeated, ...changes }
    const { reminders, kept, repairs, leftOut } = read('repeatedReminders', row)
    expect({ reminders, kept, leftOut }).toEqual({ reminders: [], kept: [row], leftOut: 1 })
    expect(repairs).toMatchObject([{ name: 'Log your front', left_out: 1 }])
  })

  test('keeps what people wrote and has no counterpart, and a text that is too long', () => {
    const message = 'x'.repeat(501)
    const { reminders, kept, longTexts } = read('repeatedReminders', {
      ...repeated,
      message,
      remark: 'by Wren',
    })
    expect(kept).toEqual([{ _id: ID, remark: 'by Wren' }])
    expect(reminders).toMatchObject([{ text: 'x'.repeat(500) }])
    expect(longTexts).toMatchObject([{ kind: 'reminder', field: 'text', text: message }])
  })
})

describe('an automated reminder', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['members', {}, { after: 3_600, on: 'members' }],
    ['custom fronts', { type: 1, delayInHours: 0.5 }, { after: 1_800, on: 'custom_fronts' }],
    ['any fronter', { type: '2', delayInHours: '24' }, { after: 86_400, on: 'any' }],
  ])('after %s becomes a reminder that is off', (_, changes, expected) => {
    expect(read('automatedReminders', { ...automated, ...changes })).toEqual({
      reminders: [
        {
          name: 'Front check',
          text: 'Still here?',
          kind: 'after_switch',
          enabled: false,
          created: CREATED,
          ...expected,
        },
      ],
      kept: [],
      longTexts: [],
      repairs: [],
      leftOut: 0,
    } as never)
  })

  test.each<[string, JsonObject]>([
    ['a type that does not exist', { type: 3 }],
    ['no type', { type: null }],
    ['a delay that is too short', { delayInHours: 0.016 }],
    ['a delay that is too long', { delayInHours: 721 }],
    ['a negative delay', { delayInHours: -1 }],
    ['no delay', { delayInHours: 'soon' }],
  ])('stays archived and is reported with %s', (_, changes) => {
    const row = { ...automated, ...changes }
    const { reminders, kept, leftOut } = read('automatedReminders', row)
    expect({ reminders, kept, leftOut }).toEqual({ reminders: [], kept: [row], leftOut: 1 })
  })
})
