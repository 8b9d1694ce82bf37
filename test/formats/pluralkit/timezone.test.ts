import { parseOffsetZone } from '../../../src/formats/pluralkit/timezone'
import { isTimezone } from '../../../src/model/core/validation'
import { expect, test } from '../../tools/test'

const zones: [given: unknown, zone: unknown][] = [
  ['UTC+05', 'Etc/GMT-5'],
  ['UTC-11', 'Etc/GMT+11'],
  ['GMT+0', 'UTC'],
  ['gmt-3', 'Etc/GMT+3'],
  ['UTC+05:00', 'Etc/GMT-5'],
  ['UTC+05:30', 'Asia/Kolkata'],
  ['GMT+0545', 'Asia/Kathmandu'],
  ['GMT-9:30', 'Pacific/Marquesas'],
  ['Europe/Oslo', 'Europe/Oslo'],
]

test.each(zones)('the time zone %p of a file is %p', (given, zone) => {
  expect(parseOffsetZone(given)).toBe(zone)
  expect(isTimezone(String(zone))).toBe(true)
})

test.each(['UTC+05:17', 'GMT-4:30', 'UTC+', null, 5])(
  'a time zone that has no name, %p, is left to the report of the import',
  (given) => expect(parseOffsetZone(given)).toBe(given),
)
