import { type LanguageCode, languageCodes, languages } from '../../src/dashboard/texts/languages'
import { listNames, loadStrings, strings, wordOf } from '../../src/dashboard/texts/texts'
import { afterEach, describe, expect, test } from '../tools/test'

afterEach(() => loadStrings('en'))
await loadStrings('en')

test.each<[LanguageCode, names: string[], expected: string]>([
  ['en', ['Salt and Pepper'], 'Salt and Pepper is here now.'],
  ['en', ['Salt', 'Pepper'], 'Salt and Pepper are here now.'],
  ['en', ['Wren', 'Iris', 'Moss'], 'Wren, Iris and Moss are here now.'],
  ['de', ['Salz und Pfeffer'], 'Salz und Pfeffer ist jetzt da.'],
  ['de', ['Wren', 'Iris', 'Moss'], 'Wren, Iris und Moss sind jetzt da.'],
])('in %s, the verb for %p follows the number of members', async (language, names, expected) => {
  await loadStrings(language)
  expect(strings.areHereNow(names)).toBe(expected)
})

test.each<[LanguageCode, word: string, count: number, expected: string]>([
  ['en', 'people', 1, '1 person'],
  ['en', 'alters', 1200, '1,200 alters'],
  ['en', 'critters', 3, '3 critters'],
  ['en', 'constructor', 2, '2 constructor'],
  ['de', 'parts', 1, '1 Anteil'],
  ['de', 'members', 1200, '1.200 Mitglieder'],
])('in %s, countOf uses the forms of %s for %d', async (language, word, count, expected) => {
  await loadStrings(language)
  expect(strings.countOf(count, wordOf(word))).toBe(expected)
})

test.each([
  ['members', 'Add your first member', 'Members'],
  ['alters', 'Add your first alter', 'Alters'],
  ['critters', 'Add the first of your critters', 'Critters'],
])('the word %s is used in a button and as a heading', (word, button, title) => {
  expect([strings.addFirst(wordOf(word)), wordOf(word).title]).toEqual([button, title])
})

describe('names in a sentence', () => {
  test('are isolated if their direction differs from that of the language', async () => {
    expect(strings.isAdded('Wren')).toBe('Wren was added.')
    expect(strings.isAdded('שלום')).toBe('\u2068שלום\u2069 was added.')
    expect(listNames(['Wren', 'سلام'])).toBe('Wren and \u2068سلام\u2069')
  })

  test('stay as they are in the language for tests, which has everything else in brackets', async () => {
    await loadStrings('en-XA')
    expect(strings.isAdded('Wren')).toMatch(/^\[Wren wáš áddéd\.( ~~)+\]$/)
    expect(strings.switchTo(['Wren', 'Iris'])).toMatch(/^\[Šwítçh tó Wren áñd Iris( ~~)+\]$/)
  })
})

test('every language has the forms of the same words, and is listed unless it is for tests', async () => {
  const listed = languageCodes.filter((code) => languages[code].name !== null)
  expect(listed).toEqual(['en', 'de'])
  for (const code of languageCodes) {
    await loadStrings(code)
    expect(Object.keys(strings.words)).toEqual([
      'members',
      'alters',
      'headmates',
      'parts',
      'people',
    ])
  }
})

test.each<[hour: number, expected: string]>([
  [4, 'Hello, Lantern Hill'],
  [5, 'Good morning, Lantern Hill'],
  [12, 'Good afternoon, Lantern Hill'],
  [18, 'Good evening, Lantern Hill'],
])('greets at %d o’clock', (hour, expected) => {
  expect(strings.greet(hour, 'Lantern Hill')).toBe(expected)
})
