import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openDeps } from '../../../src/app/app'
import { parseConfig } from '../../../src/runtime/config/config'
import { createEmptyDatabase } from '../../tools/emptyDatabase'
import { createSystem } from '../../tools/operatorActions'
import { insert, rows } from '../../tools/rawSql'
import { run, runJson } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'

/** Creates a database with a push target of a session, one of a token, and a message for each. */
async function createDatabase() {
  const cwd = emptyFolder()
  const env = { DATABASE_URL: `file:${join(cwd, 'data.db')}` }
  createEmptyDatabase(join(cwd, 'data.db'))
  const { deps, storage } = openDeps(parseConfig(env))
  const { system } = await createSystem(deps, { name: '' }, { account: null, tokenName: 'test' })
  await deps.transact('new', async (tx) => {
    const session = { uuid: 's', hash: 's', name: 'Firefox', created: 1, last_used: 1 }
    const system_id = system.id
    await insert(tx, 'sessions', { ...session, system_id, expires: 2 ** 52, remember: 1 })
    await insert(tx, 'server_keys', {
      name: 'push',
      private_jwk: '{}',
      public_key: 'B',
      created: 1,
    })
    for (const [n, owner] of [{ session_id: 1 }, { token_id: 1 }].entries()) {
      const target = { uuid: `t${n}`, system_id, endpoint: 'https://push.example', p256dh: 'B' }
      await insert(tx, 'push_targets', { ...target, ...owner, endpoint_hash: `${n}`, auth: 'a' })
      await insert(tx, 'push_queue', { target_id: n + 1, kind: 'own_front', subject: system.uuid })
    }
  })
  await storage.close()
  return { cwd, env }
}

/** Reads a column of all rows of a table. */
async function read(env: { DATABASE_URL: string }, table: string, column: string) {
  const { deps, storage } = openDeps(parseConfig(env))
  const found = await rows(deps.db, `select ${column} as value from ${table} order by 1`)
  await storage.close()
  return found.map(({ value }) => value)
}

describe('push on the command line', () => {
  test('status shows the number of queued messages', async () => {
    const here = await createDatabase()
    const { out } = await run(['status'], here)
    expect(out).toMatch(/^Push +2 messages queued$/m)
    const { push } = await runJson<{ push: object }>(['status'], here)
    expect(push).toEqual({ queued: 2 })
  })

  test('doctor --new-push-key deletes the key and all targets', async () => {
    const here = await createDatabase()
    const { out, code } = await run(['doctor', '--new-push-key'], here)
    expect(code).toBe(0)
    expect(out).toContain('deleted 2 push targets')
    for (const table of ['server_keys', 'push_targets', 'push_queue'])
      expect(await read(here.env, table, 'count(*)')).toEqual([0])
    expect(await runJson(['doctor', '--new-push-key'], here)).toEqual({ targets: 0 })
  })

  test('restore keeps the key, and ends the targets of browsers', async () => {
    const here = await createDatabase()
    await run(['backup', 'good.db'], here)
    expect(existsSync(join(here.cwd, 'good.db'))).toBe(true)
    const { code, err } = await run(['restore', 'good.db', '--yes'], here)
    expect(code, err).toBe(0)
    expect(await read(here.env, 'server_keys', 'public_key')).toEqual(['B'])
    expect(await read(here.env, 'push_targets', 'uuid')).toEqual(['t1'])
    expect(await read(here.env, 'push_queue', 'count(*)')).toEqual([0])
    expect(await runJson(['doctor'], here)).toMatchObject({ ok: true, problems: [] })
  })
})
