import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { describe, expect, test } from '../../tools/test'

const BASE = 'http://127.0.0.1:8080'

describe('a login link', async () => {
  const here = { cwd: folderWithDatabase() }
  const { id } = await runJson<{ id: string }>(['system', 'create', '--name', 'Hill'], here)

  test.each<[string, string[], string]>([
    ['is a local address by default', [], BASE],
    ['has the port of --port', ['--port', '9000'], 'http://127.0.0.1:9000'],
    ['is a local address when --host is ::', ['--host', '::'], 'http://[::1]:8080'],
    ['is a local address when --host is [::]', ['--host', '[::]'], 'http://[::1]:8080'],
    ['is a local address when --host is 0.0.0.0', ['--host', '0.0.0.0'], BASE],
    ['has brackets once when --host has them', ['--host', '[::1]'], 'http://[::1]:8080'],
    ['has an IPv6 address in brackets', ['--host', '::1'], 'http://[::1]:8080'],
    [
      'has the address of --public-url',
      ['--public-url', 'https://home.example'],
      'https://home.example',
    ],
  ])('a login link %s', async (_, flags, address) => {
    const { url, expires } = await runJson<{ url: string; expires: string }>(
      ['login', id, ...flags],
      here,
    )
    expect(url.replace(/[\w-]{43}$/, 'CODE')).toBe(`${address}/#/login/CODE`)
    expect(expires).toEndWith('Z')
  })

  test('login explains the link that it prints', async () => {
    const { out } = await run(['login', id], here)
    expect(out).toContain('Logs one browser in as Hill, once, within ten minutes.')
  })
})

test('restore deletes sessions and login codes, and lists the restored tokens', async () => {
  const cwd = folderWithDatabase()
  const here = { cwd }
  const { id } = await runJson<{ id: string }>(['system', 'create'], here)
  await runJson(['token', 'create', id, '--name', 'lost phone'], here)
  await runJson(['login', id], here)
  const path = join(cwd, 'data', 'multitude.db')
  const database = new Database(path)
  database.run(`insert into sessions
    (uuid, system_id, token_id, hash, name, created, last_used, expires, remember)
    values ('u', 1, null, 'h', 'Firefox on Android', 1, 1, 9007199254740991, 1)`)
  database.close()
  const count = (table: string) => {
    const opened = new Database(path, { readonly: true })
    const { all } = opened.query(`select count(*) as "all" from ${table}`).get() as { all: number }
    opened.close()
    return all
  }
  await runJson(['backup', 'copy.db'], here)
  await runJson(['token', 'revoke', id, 'lost phone', '--yes'], here)
  expect([count('sessions'), count('login_codes'), count('tokens')]).toEqual([1, 1, 1])
  const { out } = await run(['restore', 'copy.db', '--yes'], here)
  expect([count('sessions'), count('login_codes'), count('tokens')]).toEqual([0, 0, 2])
  expect(out).toContain('All browsers are logged out')
  expect(out).toMatch(new RegExp(`${id} +default\n${id} +lost phone`))
})
