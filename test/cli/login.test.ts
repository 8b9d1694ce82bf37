import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { commandLine, emptyFolder } from '../program'

const { run, runJson } = await commandLine()

describe('a login link', async () => {
  const here = { cwd: emptyFolder() }
  const { id } = await runJson<{ id: string }>(['system', 'create', '--name', 'Hill'], here)

  test.each<[string, string[], string]>([
    ['leads to this machine', [], 'http://127.0.0.1:8080'],
    ['knows the port that the server was given', ['--port', '9000'], 'http://127.0.0.1:9000'],
    ['names this machine where all networks are served', ['--host', '::'], 'http://localhost:8080'],
    [
      'leads to the address that others use',
      ['--public-url', 'https://home.example'],
      'https://home.example',
    ],
  ])('%s', async (_, flags, address) => {
    const { url, expires } = await runJson<{ url: string; expires: string }>(
      ['login', id, ...flags],
      here,
    )
    expect(url).toMatch(new RegExp(`^${address}/#/login/[\\w-]{43}$`))
    expect(expires).toEndWith('Z')
  })

  test('is printed with what it does', async () => {
    const { out } = await run(['login', id], here)
    expect(out).toContain('Lets one browser in as Hill, once, within ten minutes.')
  })
})

test('a restore lets nobody in who was in then, and names the tokens that come back', async () => {
  const cwd = emptyFolder()
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
