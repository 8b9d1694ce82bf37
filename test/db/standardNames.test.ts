import { exportsOf, problemsOf } from '../postgres/fullDatabase'
import { run } from '../tools/runInProcess'
import { describe, expect, test } from '../tools/test'
import { makePrevious, rowsIn } from './previousDatabase'
import { exportsOfToday, previous, rowsInStandardNames } from './previousNames'

describe('upgrade of a SQLite database to standard table names', () => {
  test('starts from a database with data in every table', () => {
    const empty = Object.entries(previous.rows).filter(([, rows]) => rows.length === 0)
    expect(empty).toEqual([])
  })

  test('keeps every row and every export', async () => {
    const { cwd, path, env } = await makePrevious()
    expect((await run(['migrate'], { cwd, env })).code).toBe(0)
    const expected = rowsInStandardNames()
    expect(rowsIn(path, Object.keys(expected))).toEqual(expected)
    const exported = Object.entries(await exportsOf(`file:${path}`))
    expect(Object.fromEntries(exported.map(([hid, text]) => [hid, JSON.parse(text)]))).toEqual(
      exportsOfToday(),
    )
    expect(await problemsOf(`file:${path}`)).toEqual([])
  })
})
