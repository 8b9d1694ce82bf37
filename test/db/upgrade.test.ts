import { chownSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { run, runJson } from '../tools/runInProcess'
import { describe, expect, test } from '../tools/test'
import { copiesIn, createUsed, fileUrl, pendingIn } from './usedDatabases'

const isRoot = process.getuid?.() === 0

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
