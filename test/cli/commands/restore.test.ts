import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { MAX_PICTURE_BYTES } from '../../../src/model/pictures/picture'
import { dump, withRawDatabase } from '../../service/transfer/importFixture'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { gifOfSize } from '../../tools/pictures'
import { run, runJson } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { copyOfKilled, databaseLog, leftoversIn, nameIn } from './restoreFolders'

const FAILED = 1
const isRoot = process.getuid?.() === 0

describe('a restore', () => {
  test('restore next to a write-ahead log restores the backup and keeps the rows of the log', async () => {
    const here = copyOfKilled()
    expect(nameIn(here)).toBe('Now')
    const { aside } = await runJson<{ aside: string }>(['restore', 'then.db', '--yes'], here)
    expect([nameIn(here), nameIn({ ...here, path: aside })]).toEqual(['Then', 'Now'])
    expect(leftoversIn(here.cwd)).toEqual([])
  })

  test('restore keeps file and log unchanged when the old database cannot be read', async () => {
    const here = copyOfKilled()
    const garbage = Buffer.from('garbage '.repeat(2000))
    writeFileSync(here.path, garbage)
    const { aside } = await runJson<{ aside: string }>(['restore', 'then.db', '--yes'], here)
    expect(nameIn(here)).toBe('Then')
    expect(readFileSync(aside).equals(garbage)).toBe(true)
    expect(readFileSync(`${aside}-wal`).equals(databaseLog)).toBe(true)
    expect(existsSync(`${here.path}-wal`)).toBe(false)
  })

  test('restore brings back pictures', async () => {
    const cwd = folderWithDatabase()
    const { id } = await runJson<{ id: string }>(['system', 'create', '--name', 'Us'], { cwd })
    const bytes = Buffer.from(gifOfSize(MAX_PICTURE_BYTES))
    const name = 'A'.repeat(24)
    const inDatabase = (statement: string, ...values: string[]) =>
      withRawDatabase(join(cwd, 'data/multitude.db'), (db) => db.run(statement, values))
    inDatabase(
      `insert into pictures (name, system_id, type, size, created, bytes)
       select '${name}', id, 'gif', ${bytes.byteLength}, 1, ? from systems`,
      bytes.toString('base64'),
    )
    await runJson(['backup', 'then.db'], { cwd })
    inDatabase('delete from pictures')
    await runJson(['restore', 'then.db', '--yes'], { cwd })
    await runJson(['export', id, '--out', 'us.json', '--pictures'], { cwd })
    expect(readFileSync(join(cwd, `us-pictures/${name}.gif`)).equals(bytes)).toBe(true)
  })

  test('restore brings back friends, and no invitation, whose code may have been used since', async () => {
    const cwd = folderWithDatabase()
    const path = join(cwd, 'data/multitude.db')
    for (const name of ['Us', 'Them']) await runJson(['system', 'create', '--name', name], { cwd })
    withRawDatabase(path, (db) => {
      db.run(`insert into friendships (id, uuid, created) values (1, 'f', 1)`)
      for (const [one, another] of [
        [1, 2],
        [2, 1],
      ])
        db.run(`insert into friend_sides (friendship_id, system_id, friend_system_id, name)
          values (1, ${one}, ${another}, 'Sam')`)
      for (const at of [1, 2])
        db.run(`insert into friend_invites (uuid, system_id, hash, share, name, expires)
          values ('i${at}', 1, 'h${at}', '{}', 'ä', 9007199254740991)`)
      db.run('insert into ext_usage (system_id, text_bytes) values (1, 7), (2, 3)')
    })
    expect((await run(['doctor'], { cwd })).out).toStartWith('No problems found.')
    await runJson(['backup', 'then.db'], { cwd })
    withRawDatabase(path, (db) => db.run('delete from friendships'))
    await runJson(['restore', 'then.db', '--yes'], { cwd })
    const { friend_sides, friend_invites } = dump(path)
    expect([friend_sides?.length, friend_invites?.length]).toEqual([2, 0])
    expect((await run(['doctor'], { cwd })).out).toStartWith('No problems found.')
  })

  test('restore ignores a log whose database is missing', async () => {
    const here = copyOfKilled()
    rmSync(here.path)
    await runJson(['restore', 'then.db', '--yes'], here)
    expect(nameIn(here)).toBe('Then')
  })

  test('restore through a symbolic link replaces the file it points to', async () => {
    const here = copyOfKilled()
    const link = join(emptyFolder(), 'link.db')
    symlinkSync(here.path, link)
    await runJson(['restore', join(here.cwd, 'then.db'), '--yes', '--database', `file:${link}`], {
      cwd: here.cwd,
    })
    expect(nameIn(here)).toBe('Then')
  })
})

describe('a restore that is killed', () => {
  const leftovers: [
    title: string,
    leave: (here: ReturnType<typeof copyOfKilled>) => void,
    named: RegExp,
  ][] = [
    [
      'the renamed old database',
      ({ path }) => renameSync(path, `${path}.before-20240101T000000000Z`),
      /data\.db\.before-20240101T000000000Z/,
    ],
    [
      'the copy of the backup',
      ({ cwd, path }) => renameSync(path, join(cwd, '.restoring-999999.db')),
      /\.restoring-999999\.db/,
    ],
    [
      'an empty file in place of the database',
      ({ path }) => {
        renameSync(path, `${path}.before-20240101T000000000Z`)
        writeFileSync(path, '')
      },
      /data\.db\.before-20240101T000000000Z/,
    ],
    [
      'the old database under both names',
      ({ path }) => linkSync(path, `${path}.before-20240101T000000000Z`),
      /data\.db\.before-20240101T000000000Z/,
    ],
  ]

  test.each(leftovers)(
    'commands report an interrupted restore that left %s',
    async (_, leave, named) => {
      const here = copyOfKilled()
      rmSync(`${here.path}-wal`)
      leave(here)
      const before = readdirSync(here.cwd).toSorted()
      for (const command of [
        ['serve', '--port', '0'],
        ['migrate'],
        ['system', 'create'],
        ['backup', 'b.db'],
        ['doctor'],
      ]) {
        const { code, out, err } = await run(command, here)
        expect([code, out]).toEqual([FAILED, ''])
        expect(err).toMatch(/^multitude: [^\n]+\n$/)
        expect(err).toMatch(named)
        expect(err).toContain('restore')
      }
      expect(readdirSync(here.cwd).toSorted()).toEqual(before)
      expect((await run(['restore', 'then.db', '--yes'], here)).code).toBe(0)
      expect(nameIn(here)).toBe('Then')
    },
  )

  test('commands ignore an interrupted restore of another database', async () => {
    const here = copyOfKilled()
    writeFileSync(join(here.cwd, 'other.db.before-20240101T000000000Z'), '')
    expect((await run(['migrate', '--database', 'file:new.db'], here)).code).toBe(0)
  })
})

describe('owner and mode', () => {
  test('restore keeps owner and mode of the old database', async () => {
    const here = copyOfKilled()
    chmodSync(here.path, 0o640)
    if (isRoot) chownSync(here.path, 65534, 65534)
    await runJson(['restore', 'then.db', '--yes'], here)
    const { mode, uid } = statSync(here.path)
    expect([mode & 0o777, uid]).toEqual([0o640, isRoot ? 65534 : uid])
  })

  test.if(isRoot)(
    'restore gives a new database the owner of its folder and mode 0600',
    async () => {
      const here = copyOfKilled()
      rmSync(here.path)
      rmSync(`${here.path}-wal`)
      chownSync(here.cwd, 65534, 65534)
      await runJson(['restore', 'then.db', '--yes'], here)
      const { mode, uid, gid } = statSync(here.path)
      expect([mode & 0o777, uid, gid]).toEqual([0o600, 65534, 65534])
    },
  )
})
