import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderWithDatabase } from '../tools/emptyDatabase'
import { run, runJson } from '../tools/runInProcess'
import type { ProcessResult } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

const FAILED = 1

const cwd = folderWithDatabase()
const create = () => runJson<{ id: string; uuid: string }>(['system', 'create'], { cwd })
const [lantern, other] = [await create(), await create()]
await run(['account', 'link', other.id, '123456789012345678'], { cwd })
await run(['bot', 'create', '--name', 'discord'], { cwd })

describe('a command that fails', () => {
  const failing: [words: string[], complaint: string][] = [
    [['system', 'show', 'zzzzzz'], 'There is no system zzzzzz.'],
    [['system', 'show', '@me'], 'There is no system @me.'],
    [['system', 'delete', 'zzzzzz', '--yes'], 'There is no system zzzzzz.'],
    [['token', 'create', 'nobody', '--json'], 'There is no system nobody.'],
    [['token', 'revoke', lantern.id, 'phone', '--yes'], `System ${lantern.id} has no token phone.`],
    [
      ['account', 'unlink', lantern.id, '123456789012345678', '--yes'],
      `Account 123456789012345678 is not linked to system ${lantern.id}.`,
    ],
    [
      ['account', 'link', lantern.id, '123456789012345678'],
      'The account is linked to another system.',
    ],
    [
      ['system', 'create', '--account', '123456789012345678'],
      'The account is linked to another system.',
    ],
    [['bot', 'create', '--name', 'discord'], 'Bot discord already exists.'],
    [['bot', 'revoke', 'matrix', '--yes'], 'There is no bot matrix.'],
  ]

  test('a failing command prints one line and changes nothing', async () => {
    const before = await run(['system', 'list', '--json'], { cwd })
    const ended = await Promise.all(failing.map(([words]) => run(words, { cwd })))
    expect(ended).toEqual(failing.map(([, complaint]) => failure(complaint)))
    expect(await run(['system', 'list', '--json'], { cwd })).toEqual(before)
  })
})

describe('a database that cannot be used', () => {
  const path = (name: string) => join(cwd, name)

  const complaints: [words: string, file: string, complaint: string][] = [
    ['serve', 'diary.txt', `The file ${path('diary.txt')} is not a Multitude database.`],
    [
      'system list --json',
      'theirs.db',
      `The file ${path('theirs.db')} is a database of another program, not Multitude’s.`,
    ],
    [
      'migrate',
      'newer.db',
      `The database ${path('newer.db')} was made by a newer Multitude (9999_future); update this program.`,
    ],
    [
      'serve',
      'diary.txt/data.db',
      `The database ${path('diary.txt/data.db')} cannot be written: check the folder’s permissions.`,
    ],
    ['bot list', '.', `The database ${cwd} is not a file.`],
  ]

  test('commands reject an unusable database in one line, without a stack trace', async () => {
    writeFileSync(path('diary.txt'), 'Dear diary\n')
    change(path('theirs.db'), 'CREATE TABLE theirs (a)')
    await run(['migrate', '--database', 'file:newer.db'], { cwd })
    change(path('newer.db'), "INSERT INTO migrations VALUES ('9999_future', '')")
    const ended = await Promise.all(
      complaints.map(([words, file]) =>
        run([...words.split(' '), '--database', `file:${file}`], { cwd }),
      ),
    )
    expect(ended).toEqual(complaints.map(([, , complaint]) => failure(complaint)))
    expect(readFileSync(path('diary.txt'), 'utf8')).toBe('Dear diary\n')
  })
})

function failure(complaint: string): ProcessResult {
  return { code: FAILED, out: '', err: `multitude: ${complaint}\n` }
}

/** Changes the file as another program would. */
function change(path: string, statement: string): void {
  const database = new Database(path)
  database.run(statement)
  database.close()
}
