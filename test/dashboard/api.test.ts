import { ApiError, errorMessage, problemMessage } from '../../src/dashboard/api/client'
import type { LanguageCode } from '../../src/dashboard/texts/languages'
import { loadRestOfStrings, loadStrings, strings } from '../../src/dashboard/texts/texts'
import { errorTable } from '../../src/model/core/errors'
import { Problem } from '../../src/model/core/validation'
import { afterAll, describe, expect, test } from '../tools/test'

const { sameFronters, sameTimestamp, invalidBody, conflict } = errorTable

describe.each<[LanguageCode, string[], empty: string, long: string]>([
  [
    'en',
    [
      'They’re already here.',
      'There’s already a switch at exactly that time.',
      'Please check the highlighted fields.',
      'This name is already taken.',
    ],
    'Must not be empty.',
    'Too long: at most 1,000 characters.',
  ],
  [
    'de',
    [
      'Sie sind schon da.',
      'Genau zu dieser Zeit gibt es schon einen Wechsel.',
      'Bitte prüfe die markierten Felder.',
      'Dieser Name ist schon vergeben.',
    ],
    'Hier fehlt noch etwas.',
    'Zu lang: höchstens 1.000 Zeichen.',
  ],
])('in %s', (language, expected, empty, long) => {
  afterAll(() => loadStrings('en'))

  test('errorMessage describes an error by its code, or by its status without one', async () => {
    await loadStrings(language)
    const described = [sameFronters, sameTimestamp, invalidBody, conflict].map(
      ({ status, message, code }) => errorMessage(new ApiError(status, message, 0, {}, code)),
    )
    expect(described).toEqual(expected)
  })

  test('errorMessage says when the server does not answer', async () => {
    await loadStrings(language)
    expect(errorMessage(new TypeError('Failed to fetch'))).toBe(strings.unreachable)
  })

  test('problemMessage describes a problem found by a field table', async () => {
    await loadStrings(language)
    await loadRestOfStrings()
    expect(problemMessage(new Problem('empty'))).toBe(empty)
    expect(problemMessage(new Problem('too_long', { max: 1000, actual: 1001 }))).toBe(long)
    expect(problemMessage({ code: 'of_a_newer_server', message: 'No.' })).toBe('No.')
    expect(problemMessage({ message: 'Must not be empty.' })).toBe('Must not be empty.')
  })
})

test.each<[LanguageCode, status: number, message: string, expected: string]>([
  ['en', 503, 'The database is full.', 'The database is full.'],
  ['en', 400, '400: Bad Request (This is not an export.)', 'This is not an export.'],
  ['en', 503, '503: Service Unavailable', 'The server is busy. Try again in a moment.'],
  ['en', 400, '400: Bad Request (limit must be a number)', 'The server couldn’t use this.'],
  [
    'de',
    503,
    'The database is full.',
    'Der Server ist ausgelastet. Versuch es gleich noch einmal.',
  ],
])(
  'in %s, errorMessage describes %d without a code: %s',
  async (language, status, message, expected) => {
    await loadStrings(language)
    expect(errorMessage(new ApiError(status, message, 0))).toBe(expected)
  },
)
