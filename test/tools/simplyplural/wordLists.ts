/** Names and texts of generated files. */

export const names = [
  'Wren',
  'Ash',
  'Moss',
  'Juno',
  'Atlas',
  'Björk',
  '小雪',
  'Ада',
  '🌻',
  "D'Arcy",
  'undefined',
  'constructor',
  '__proto__',
  'null',
]
export const customFrontNames = [
  'Asleep',
  'Blurry',
  'Co-conscious',
  'Masking',
  'Non-verbal',
  'Unknown fronter',
]
export const groupNames = ['Keepers', 'Night', 'Guests', 'Upstairs', 'Archive']
export const statusTexts = ['at work', 'painting 🎨', 'low spoons', 'do not disturb']
export const fieldTypes: [name: string, number: number, type: string][] = [
  ['Role', 0, 'markdown'],
  ['Age', 0, 'text'],
  ['Birthday', 7, 'month_day'],
  ['Colour', 1, 'color'],
  ['Arrived', 2, 'date'],
  ['Best month', 3, 'month'],
  ['Origin', 4, 'year'],
  ['First seen', 5, 'month_year'],
  ['Last talked', 6, 'moment'],
]
