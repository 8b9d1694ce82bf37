import { join } from 'node:path'
import { copyDatabase } from '../../src/db/backup/copyDatabase'
import { openStorage } from '../../src/db/open'
import { dump } from '../service/transfer/importFixture'
import { createBot, createSystem, deleteSystem, listSystems } from '../tools/operatorActions'
import { outcomeOf } from '../tools/outcomeOf'
import { rows } from '../tools/rawSql'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { onServer } from './engine'
import {
  exportsOf,
  fillWithEverything,
  newDatabase,
  problemsOf,
  rowsOf,
  withDeps,
} from './fullDatabase'
import { acquireDatabase } from './templateDatabases'

const { TEST_POSTGRES } = process.env

async function copy(from: string, to: string): Promise<number> {
  const [source, target] = [openStorage(from), openStorage(to, { durability: 'normal' })]
  try {
    await Promise.all([source.ready, target.ready])
    return await copyDatabase(source, target)
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

describe('copy of a database', () => {
  const folder = emptyFolder('copy')
  const source = `file:${join(folder, 'source.db')}`

  test('has the same rows, exports and sequences after a copy to PostgreSQL and back', async () => {
    await fillWithEverything(source)
    const [server, back] = [await newDatabase(), `file:${join(folder, 'back.db')}`]
    const count = await copy(source, server)
    expect(await copy(server, back)).toBe(count)
    expect(rowsOf(back)).toEqual(rowsOf(source))
    const empty = Object.entries(rowsOf(source)).filter(([, list]) => list.length === 0)
    expect(empty.map(([name]) => name)).toEqual(['pending_imports'])
    const files = await exportsOf(source)
    expect(Object.keys(files).length).toBeGreaterThan(20)
    for (const copied of [server, back]) expect(await exportsOf(copied)).toEqual(files)
    for (const address of [source, server, back]) expect(await problemsOf(address)).toEqual([])
    // The ID of a deleted system is not assigned again.
    const last = dump(source.replace('file:', '')).sqlite_sequence as {
      name: string
      seq: number
    }[]
    const lastId = last.find(({ name }) => name === 'systems')?.seq ?? 0
    for (const copied of [server, back])
      await withDeps(copied, async (deps) => {
        const made = await createSystem(deps, { name: null }, { account: null, tokenName: 'x' })
        expect(made.system.id).toBe(lastId + 1)
      })
  })

  test('copies one snapshot while other connections write', async () => {
    const [busy, to] = [acquireDatabase(TEST_POSTGRES ?? ''), `file:${join(folder, 'moment.db')}`]
    await withDeps(busy, async (deps) => {
      const make = () => createSystem(deps, { name: 'Drop' }, { account: null, tokenName: 'x' })
      await Promise.all(Array.from({ length: 30 }, make))
      let isDone = false
      const writers = Array.from({ length: 4 }, async () => {
        for (let made = 0; !isDone; made++) {
          const { system } = await make()
          if (made % 2 === 0) await deleteSystem(deps, system.id)
        }
      })
      await copy(busy, to)
      isDone = true
      await Promise.all(writers)
    })
    expect(await problemsOf(to)).toEqual([])
    const { systems = [], tokens = [], settings = [] } = rowsOf(to)
    expect(systems.length).toBeGreaterThanOrEqual(30)
    expect([tokens.length, settings.length]).toEqual([systems.length, systems.length])
  })

  test('rolls back a copy that differs from its source', async () => {
    const to = acquireDatabase(TEST_POSTGRES ?? '')
    await onServer(to, (sql) =>
      sql
        .unsafe(`
          create function spoil() returns trigger language plpgsql as
          $$ begin new.name = new.name || '!'; return new; end $$;
          create trigger spoil before insert on members for each row execute function spoil()`)
        .simple(),
    )
    const small = `file:${join(folder, 'small.db')}`
    await withDeps(small, async (deps) => {
      const { system } = await createSystem(deps, { name: 'A' }, { account: '1', tokenName: 'x' })
      const names = "'u', 'hhhhh', 'Wren'"
      const sql = `insert into members (uuid, hid, name, system_id) values (${names}, :id)`
      await deps.transact('new', (tx) => rows(tx, sql, { id: system.id }))
    })
    expect(await outcomeOf(copy(small, to))).toThrow('The copy of members differs from its source')
    await withDeps(to, async (deps) => expect(await listSystems(deps)).toEqual([]))
  })

  test('rejects a copy into a database that is not empty', async () => {
    const { run } = commandLine()
    const [withSystem, withBot] = [acquireDatabase(TEST_POSTGRES ?? ''), `file:${folder}/bot.db`]
    await withDeps(withSystem, (deps) =>
      createSystem(deps, { name: 'Here' }, { account: null, tokenName: 'x' }),
    )
    await withDeps(withBot, (deps) => createBot(deps, 'Here', 'discord'))
    const small = `file:${join(folder, 'tiny.db')}`
    await withDeps(small, (deps) => createBot(deps, 'There', 'discord'))
    const options = { cwd: folder, env: { MULTITUDE_DATABASE_URL: small } }
    const rejected = await Promise.all([
      run(['copy', withSystem], options),
      run(['copy', withBot], options),
      run(['copy', 'nonsense'], options),
      run(['copy', `file:${folder}/never.db`, '--database', 'file:missing.db'], options),
    ])
    expect(rejected.map(({ code, out }) => [code, out])).toEqual([
      [1, ''],
      [1, ''],
      [2, ''],
      [1, ''],
    ])
    for (const { err } of rejected) expect(err).toMatch(/^multitude: [^\n]+\n/)
    expect(rejected[0].err).toContain('is not empty (it has systems, ')
    expect(rejected[1].err).toContain('is not empty (it has bots)')
    expect(rejected[2].err).toContain('must look like file:')
    expect(rejected[3].err).toContain('There is no database')
    expect(await Bun.file(`${folder}/never.db`).exists()).toBe(false)

    const migrated = acquireDatabase(TEST_POSTGRES ?? '')
    const done = await run(['copy', migrated], options)
    expect(done).toEqual({
      code: 0,
      out: `Copied and verified 1 row to ${migrated}.\n`,
      err: '',
    })
    const back = await run(['copy', 'file:again.db', '--database', migrated, '--json'], options)
    expect(JSON.parse(back.out)).toEqual({ copied: join(folder, 'again.db'), rows: 1 })
    expect(rowsOf(`file:${folder}/again.db`)).toEqual(rowsOf(small))
  })
})
