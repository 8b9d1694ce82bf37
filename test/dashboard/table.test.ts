import {
  formatCsv,
  isTextColumn,
  sortRows,
  type Table,
  textCell,
} from '../../src/dashboard/lib/table'
import { expect, test } from '../tools/test'

const table: Table = {
  columns: ['Who', 'Time'],
  rows: [
    [textCell('Wren'), { value: 7200, text: '2 h' }],
    [textCell('álex'), { value: 36_000, text: '10 h' }],
    [textCell('Iris'), { value: 7200, text: '2 h' }],
  ],
  csv: [
    ['member', 'seconds'],
    ['=Wren, "the first"', 7200],
    ['álex', 36_000],
    ['x;=1+1', -1],
  ],
}

test.each([
  [0, true, ['álex', 'Iris', 'Wren']],
  [0, false, ['Wren', 'Iris', 'álex']],
  [1, false, ['álex', 'Wren', 'Iris']],
  [1, true, ['Wren', 'Iris', 'álex']],
])('sortRows sorts by column %d, ascending: %p', (column, isAscending, expected) => {
  expect(sortRows(table, { column, isAscending }).map(([who]) => who?.text)).toEqual(expected)
})

test('isTextColumn distinguishes text columns from figures', () => {
  expect([isTextColumn(table, 0), isTextColumn(table, 1)]).toEqual([true, false])
})

test('writes CSV without formulas, also for spreadsheets that separate by semicolons', () => {
  expect(formatCsv(table)).toBe(
    '\ufeffmember,seconds\r\n"\'=Wren, ""the first""",7200\r\nálex,36000\r\n"x;\'=1+1",-1\r\n',
  )
})
