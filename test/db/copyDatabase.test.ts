import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  exportsOf,
  fillWithEverything,
  problemsOf,
  rowsOf,
  withDeps,
} from '../postgres/fullDatabase'
import { createBot } from '../tools/operatorActions'
import { run, runJson } from '../tools/runInProcess'
import { emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'

const cwd = emptyFolder('copy')
const source = `file:${join(cwd, 'source.db')}`
await fillWithEverything(source)
const options = { cwd, env: { DATABASE_URL: source } }

test('copies every row from file to file without problems', async () => {
  const { copied, rows } = await runJson<{ copied: string; rows: number }>(
    ['copy', 'file:new/folder/copy.db'],
    options,
  )
  expect(copied).toBe(join(cwd, 'new/folder/copy.db'))
  expect(rows).toBeGreaterThan(5_000)
  expect(rowsOf(`file:${copied}`)).toEqual(rowsOf(source))
  expect(await exportsOf(`file:${copied}`)).toEqual(await exportsOf(source))
  expect(await problemsOf(`file:${copied}`)).toEqual([])
})

test('rejects a copy into a database with rows, into itself and to a malformed address', async () => {
  const filled = `file:${join(cwd, 'bot.db')}`
  await withDeps(filled, (deps) => createBot(deps, 'Lantern', 'discord'))
  const before = rowsOf(filled)
  for (const [to, status, reason] of [
    [filled, 1, /bot\.db is not empty \(it has bots\): the target must be empty\.\n$/],
    [source, 1, /source\.db is not empty \(it has /],
    ['nonsense', 2, /The database address must look like file:/],
  ] as const) {
    const { code, out, err } = await run(['copy', to], options)
    expect([code, out]).toEqual([status, ''])
    expect(err).toMatch(/^multitude: [^\n]+\n/)
    expect(err).toMatch(reason)
  }
  expect(rowsOf(filled)).toEqual(before)
})

test('creates no file when the source of a copy does not exist', async () => {
  const missing = { cwd, env: { DATABASE_URL: 'file:missing.db' } }
  const { code, err } = await run(['copy', 'file:never.db'], missing)
  expect([code, err]).toEqual([1, expect.stringContaining('There is no database')])
  expect(readdirSync(cwd).filter((name) => /never|missing/.test(name))).toEqual([])
})
