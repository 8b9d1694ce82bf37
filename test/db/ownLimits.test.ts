import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { openStorage } from '../../src/db/open'
import { emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'
import { makeOlder } from './olderDatabase'

test('the upgrade replaces default limits by null and keeps the others', async () => {
  const path = join(emptyFolder(), 'data.db')
  const older = makeOlder(
    path,
    migrations.findIndex(({ name }) => name === '0014_own_limits'),
  )
  for (const id of [1, 2])
    older.run('INSERT INTO systems (id, uuid, hid) VALUES (?, ?, ?)', [id, `u${id}`, `abcd${id}`])
  older.run('INSERT INTO settings (system_id, latch_timeout) VALUES (1, 7)')
  older.run('INSERT INTO settings (system_id, member_limit, group_limit) VALUES (2, 5, 251)')
  older.close()
  const storage = openStorage(`file:${path}`)
  await storage.ready
  await storage.close()
  const upgraded = new Database(path, { readonly: true })
  const sql = 'SELECT system_id, latch_timeout, member_limit, group_limit FROM settings'
  expect(upgraded.query(sql).values()).toEqual([
    [1, 7, null, null],
    [2, null, 5, 251],
  ])
  upgraded.close()
})
