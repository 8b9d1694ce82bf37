import { chownSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { currentSchema } from '../currentSchema'
import { run, runJson } from '../runInProcess'
import { describe, expect, test } from '../test'
import {
  answersOf,
  copiesIn,
  createUsed,
  expectedAnswers,
  fileUrl,
  findingsIn,
  pendingIn,
  queryRows,
} from './usedDatabases'

const isRoot = process.getuid?.() === 0
const olderReleases = migrations.slice(0, -1).map(({ name }, at) => [name, at + 1] as const)

describe('upgrade of a database with rows', () => {
  test.each(olderReleases)(
    'answers like a new database, with its schema and all rows, after an upgrade from %s',
    async (_, has) => {
      const old = createUsed(has)
      const answers = await answersOf(old.path)
      expect(answers).toEqual(await expectedAnswers(has))
      expect(answers['owner: /v2/systems/@me']).toMatchObject({
        status: 200,
        json: { id: 'abcde', name: 'Lantern Hill', description: 'ours alone' },
      })
      expect(answers['anonymous: /v2/systems/abcde']).toMatchObject({ json: { description: null } })
      if (has > 1) {
        expect(answers['owner: /v2/members/aaaaa']).toMatchObject({ json: { name: 'Wren' } })
        expect(answers['anonymous: /v2/members/aaaaa']).toMatchObject({ json: { name: 'W.' } })
        expect(answers['owner: /v2/systems/@me/fronters']).toMatchObject({
          json: { members: [{ id: 'bbbbb' }, { id: 'aaaaa' }] },
        })
      }
      expect(await findingsIn(old.path)).toEqual([])
      expect(queryRows(old.path, 'SELECT name FROM bots')).toEqual([{ name: 'old' }])
      const kept = queryRows(old.path, "SELECT name FROM migrations WHERE applied = 'before'")
      expect(kept).toHaveLength(has)
      const schema = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'migrations'"
      const statements = queryRows<{ sql: string }>(old.path, schema).map(({ sql }) => sql)
      expect(statements.toSorted()).toEqual(currentSchema.map(({ sql }) => sql).toSorted())
    },
  )
})

describe('copy before an upgrade', () => {
  test('copies the file before an upgrade and prints the command that restores it', async () => {
    const { cwd, path } = createUsed(6)
    const { code, err } = await run(['migrate'], { cwd, ...fileUrl(path) })
    expect(code).toBe(0)
    const [copy = '', ...more] = copiesIn(cwd)
    expect(more).toEqual([])
    expect(err.split('\n')).toHaveLength(2)
    expect(err).toContain(`upgraded from ${migrations[5]?.name}`)
    expect(err).toContain(`multitude restore ${join(cwd, copy)}`)
    expect(pendingIn(join(cwd, copy))).toEqual(migrations.slice(6).map(({ name }) => name))
    expect(statSync(join(cwd, copy)).mode & 0o777).toBe(0o600)
    await runJson(['restore', join(cwd, copy), '--yes'], { cwd, ...fileUrl(path) })
    expect(pendingIn(path)).toEqual(migrations.slice(6).map(({ name }) => name))
  })

  test('keeps the newest three copies from before upgrades and deletes no other file', async () => {
    const { cwd, path } = createUsed(6)
    const older = ['20240101T000000000Z', '20250101T000000000Z', '20260101T000000000Z']
    const others = [
      `${path}.pre-upgrade-of-mine`,
      join(cwd, 'b.db.pre-upgrade-20230101T000000000Z'),
    ]
    for (const time of older) writeFileSync(`${path}.pre-upgrade-${time}`, '')
    for (const other of others) writeFileSync(other, '')
    await run(['migrate'], { cwd, ...fileUrl(path) })
    const copies = copiesIn(cwd)
      .filter((name) => name.startsWith(basename(path)))
      .toSorted()
    expect(copies).toHaveLength(3)
    expect(copies.slice(0, 2).map((name) => name.slice(-19))).toEqual(older.slice(1))
    for (const other of others) expect(existsSync(other)).toBe(true)
    // Without an upgrade nothing is removed.
    writeFileSync(`${path}.pre-upgrade-20200101T000000000Z`, '')
    await run(['migrate'], { cwd, ...fileUrl(path) })
    expect(existsSync(`${path}.pre-upgrade-20200101T000000000Z`)).toBe(true)
  })

  test.each([
    ['is new', 0],
    ['is current', migrations.length],
  ])('makes no copy when the database %s', async (_, has) => {
    const { cwd, path } = createUsed(has)
    const { code, err } = await run(['migrate'], { cwd, ...fileUrl(path) })
    expect([code, err, copiesIn(cwd)]).toEqual([0, '', []])
  })

  test.skipIf(!isRoot)('gives the copy the owner of the database', async () => {
    const { cwd, path } = createUsed(6)
    chownSync(path, 4711, 4712)
    await run(['migrate'], { cwd, ...fileUrl(path) })
    const { uid, gid } = statSync(join(cwd, copiesIn(cwd)[0] ?? ''))
    expect([uid, gid]).toEqual([4711, 4712])
  })
})
