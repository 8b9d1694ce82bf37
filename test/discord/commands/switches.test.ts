import { parseBirthday, parseDuration, parseWhen } from '../../../src/discord/commands/when'
import { parseInstant } from '../../../src/model/time'
import { describe, expect, test } from '../../test'
import { createTestApp } from '../../testApp'
import { createChat } from './chat'
import { runConversations } from './conversations'

const chat = createChat(createTestApp())

runConversations(chat, {
  'logs, edits, copies and deletes switches': [
    ['pk;m new Finch', '✅'],
    ['pk;m new Heron', '✅'],
    ['pk;switch', '❌ Usage: `pk;switch <members>`'],
    ['pk;switch Wren', '✅ Switch logged. Now fronting: Wren.'],
    ['pk;sw Wren', '❌ Wren is already fronting'],
    ['pk;sw Wren Wren', '❌ A member is named twice'],
    ['pk;sw Wren Nobody', '❌ Not found: Nobody'],
    ['pk;sw Wren Finch', 'Now fronting: Wren, Finch'],
    ['pk;sw edit Heron', 'Now fronting: Heron'],
    ['pk;sw e Finch -append', 'Now fronting: Heron, Finch'],
    ['pk;sw edit Wren -prepend', 'Now fronting: Wren, Heron, Finch'],
    ['pk;sw edit Finch -first', 'Now fronting: Finch, Wren, Heron'],
    ['pk;sw edit Wren Heron -remove', 'Now fronting: Finch'],
    ['pk;sw copy Wren', 'Now fronting: Finch, Wren'],
    ['pk;sw add Finch -remove', 'Now fronting: Wren'],
    ['pk;sw edit out', 'Now fronting: nobody'],
    ['pk;sw Wren', '✅'],
    ['pk;sw out', 'Nobody fronts'],
    ['pk;sw out', '❌ Nobody fronts already'],
    ['pk;sw delete', 'Delete the latest switch'],
    { press: 'Yes', answer: 'was deleted' },
    ['pk;s f', 'Wren'],
    ['pk;sw delete all', 'Delete **all** switches'],
    ['yes', 'All switches were deleted'],
    ['pk;s f', 'There are no switches'],
    ['pk;sw delete', '❌ There are no switches'],
    ['pk;sw edit Wren', '❌ There are no switches'],
  ],
  'moves the latest switch, but not before the previous one': [
    ['pk;sw Wren', '✅'],
    ['pk;sw move 2h', 'Move the latest switch'],
    { press: 'Yes', answer: '✅ The latest switch is now at' },
    ['pk;sw out', '✅'],
    ['pk;sw move 3h', '❌ The switch before it was at'],
    ['pk;sw move 1h -y', '✅ The latest switch is now at'],
    ['pk;sw move nonsense', '❌ That is not a time'],
    ['pk;sw move <t:99999999999>', '❌ That is in the future'],
  ],
  'shows and changes autoproxy': [
    ['pk;autoproxy', ['Autoproxy is off', '`latch`']],
    ['pk;ap front', 'first fronter'],
    ['pk;ap latch', 'last proxied member'],
    ['pk;ap Wren', 'now uses Wren'],
    ['pk;auto', 'Autoproxy uses Wren'],
    ['pk;ap nobody', '❌ There is no such member'],
    ['pk;config autoproxy account off', '✅'],
    ['pk;ap', 'off for this account'],
    ['pk;ap off', 'now off'],
    { say: 'pk;ap front', options: { inDirect: true }, answer: '❌ This works in servers only' },
  ],
})

describe('times', () => {
  const now = parseInstant('2024-05-10T12:00:00Z') ?? 0
  const cases: [text: string, expected: string | null, zone?: string][] = [
    ['now', '2024-05-10T12:00:00Z'],
    ['1d12h30m', '2024-05-08T23:30:00Z'],
    ['1 hour', '2024-05-10T11:00:00Z'],
    ['2 hours 5 mins ago', '2024-05-10T09:55:00Z'],
    ['1w', '2024-05-03T12:00:00Z'],
    ['90s', '2024-05-10T11:58:30Z'],
    ['9:30', '2024-05-10T09:30:00Z'],
    ['13:00', '2024-05-09T13:00:00Z'],
    ['9pm', '2024-05-09T21:00:00Z'],
    ['9:15 pm', '2024-05-09T21:15:00Z'],
    ['12am', '2024-05-10T00:00:00Z'],
    ['yesterday', '2024-05-09T00:00:00Z'],
    ['yesterday 9pm', '2024-05-09T21:00:00Z'],
    ['9pm yesterday', '2024-05-09T21:00:00Z'],
    ['today at 8:00', '2024-05-10T08:00:00Z'],
    ['2024-05-03', '2024-05-03T00:00:00Z'],
    ['2024-05-03 14:30', '2024-05-03T14:30:00Z'],
    ['2024-05-03T14:30:15', '2024-05-03T14:30:15Z'],
    ['2024-05-03T14:30:00+02:00', '2024-05-03T12:30:00Z'],
    ['May 3', '2024-05-03T00:00:00Z'],
    ['3rd of may', null],
    ['3 May 2023 10:00', '2023-05-03T10:00:00Z'],
    ['Dec 24', '2023-12-24T00:00:00Z'],
    ['<t:1714732200:f>', '2024-05-03T10:30:00Z'],
    ['9:30', '2024-05-10T07:30:00Z', 'Europe/Oslo'],
    ['2024-01-03 14:30', '2024-01-03T13:30:00Z', 'Europe/Oslo'],
    ['2024-03-31 03:30', '2024-03-31T01:30:00Z', 'Europe/Oslo'],
    ['yesterday', '2024-05-09T12:00:00Z', 'Pacific/Auckland'],
    ['2024-02-30', null],
    ['25:00', null],
    ['13pm', null],
    ['', null],
    ['soon', null],
    ['1x', null],
    [`${'9'.repeat(400)}d`, null],
  ]
  for (const [text, expected, zone = 'UTC'] of cases)
    test(`${text.slice(0, 40)} in ${zone} is ${expected ?? 'not a time'}`, () => {
      expect(parseWhen(text, now, zone)).toBe(expected === null ? null : parseInstant(expected))
    })

  test('durations are sums of their parts', () => {
    expect(parseDuration('1d 2h')).toBe(26 * 60 * 60 * 1_000_000)
    expect(parseDuration('1mo')).toBe(30 * 24 * 60 * 60 * 1_000_000)
    expect(parseDuration('2m')).toBe(2 * 60 * 1_000_000)
    expect(parseDuration('h')).toBeNull()
  })

  test('birthdays need no year', () => {
    expect(parseBirthday('May 3')).toBe('0004-05-03')
    expect(parseBirthday('Feb 29')).toBe('0004-02-29')
    expect(parseBirthday('3 May, 1990')).toBe('1990-05-03')
    expect(parseBirthday('1990-5-3')).toBe('1990-05-03')
    expect(parseBirthday('13-45')).toBeNull()
  })
})
