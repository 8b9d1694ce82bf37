import { inspectServer } from '../../src/doctor/postgresDoctor'
import { schemaHash } from '../../src/model/core/schemaHash'
import { member } from '../../src/model/members/member'
import { renderRowJson } from '../../src/serializers/v2'
import { fixture } from '../formats/fixture'
import { importFile } from '../tools/operatorActions'
import { insert } from '../tools/rawSql'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { beforeAll, describe, expect, test } from '../tools/test'
import { onServer } from './engine'
import { problemsOf, withDeps } from './fullDatabase'
import { acquireDatabase } from './templateDatabases'

const { TEST_POSTGRES = '' } = process.env

/** Statements that damage the database, the findings, and a query with its rows after the repair. */
const damages: Record<string, { does: string[]; finds: string[]; leaves: [string, unknown[]] }> = {
  'creates a dropped index and a dropped trigger again': {
    does: [
      'drop index members_by_system',
      'drop trigger rendered_members_invalidate_update on members',
    ],
    finds: [
      'indexes: the index members_by_system is missing',
      'triggers: the trigger rendered_members_invalidate_update is missing',
    ],
    leaves: [
      `select relname::text as name from pg_class where relname = 'members_by_system'
       union all select tgname::text from pg_trigger where tgname = 'rendered_members_invalidate_update'`,
      [{ name: 'members_by_system' }, { name: 'rendered_members_invalidate_update' }],
    ],
  },
  'creates missing settings with the defaults': {
    does: ['delete from settings'],
    finds: ['settings: system qvexmp has no settings'],
    leaves: [
      'select timezone, member_limit from settings',
      [{ timezone: 'UTC', member_limit: null }],
    ],
  },
  'corrects the keys of proxy tags': {
    does: [
      'delete from proxy_tag_index where position = 1',
      "insert into proxy_tag_index select id, 1, 0, 'a', 'b', 'a', 'b', 'ab', 0, 0 from members where hid = 'ashcd'",
    ],
    finds: [
      'proxy tags: the tags of member wrenab do not match their keys',
      'proxy tags: the tags of member ashcd do not match their keys',
    ],
    leaves: ['select position from proxy_tag_index order by 1', [{ position: 0 }, { position: 1 }]],
  },
  'raises a message counter that is lower than the number of recorded messages': {
    does: ["update members set message_count = 1 where hid = 'wrenab'"],
    finds: ['counters: member wrenab counts 1 messages, but 2 are recorded'],
    leaves: ["select message_count from members where hid = 'wrenab'", [{ message_count: 2 }]],
  },
  'switches off autoproxy without a member': {
    does: ["update autoproxy set autoproxy_member = null where autoproxy_mode = 'member'"],
    finds: ['autoproxy: the autoproxy of system qvexmp in guild 5 names a missing member'],
    leaves: ['select autoproxy_mode from autoproxy', [{ autoproxy_mode: 'off' }]],
  },
  'deletes stale rendered JSON': {
    does: [
      `insert into rendered_members select id, ${schemaHash(member)}, '', '"name":"SECRET"' from members
       where hid = 'wrenab'`,
    ],
    finds: ['rendered JSON: the cached JSON of member wrenab is stale'],
    leaves: ["select 1 from rendered_members where public_json like '%SECRET%'", []],
  },
}

describe('doctor of PostgreSQL', () => {
  const cwd = emptyFolder('doctor')
  let undamaged = ''

  beforeAll(async () => {
    undamaged = await createUndamaged()
  })

  async function createUndamaged(): Promise<string> {
    const address = acquireDatabase(TEST_POSTGRES)
    await withDeps(address, async (deps) => {
      const options = { dryRun: false, only: null, isPublic: false, link: 'all' as const }
      await importFile(deps, fixture('pluralkit.json'), 'new', options)
      await deps.transact('new', async (tx) => {
        const [row] = await deps.db.driver
          .query<{ id: number; system_id: number }>(
            "select id, system_id from members where hid = 'wrenab'",
          )
          .all([])
        const { id: member_id = 0, system_id = 0 } = row ?? {}
        for (const id of ['11', '12'])
          await insert(tx, 'messages', {
            ...{ id, original: id, sender: '1', channel: '2', timestamp: 3 },
            ...{ system_id, member_id },
          })
        await insert(tx, 'autoproxy', {
          ...{ system_id, guild_id: '5', autoproxy_mode: 'member', autoproxy_member: member_id },
        })
      })
    })
    return address
  }

  test('finds only warnings in an undamaged database while a server uses it', async () => {
    const { run, startServer } = commandLine()
    const options = { cwd, env: { DATABASE_URL: undamaged } }
    const server = await startServer([], options)
    const { code, out, err } = await run(['doctor', '--fix'], options)
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^No problems found\.\n\nWarnings:\n {2}account \d+ was linked/)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })

  test.each(Object.entries(damages))('%s', async (_, { does, finds, leaves: [query, left] }) => {
    const { run } = commandLine()
    const address = await createUndamaged()
    for (const statement of does) await onServer(address, (sql) => sql.unsafe(statement))
    expect((await problemsOf(address)).toSorted()).toEqual(finds.toSorted())
    const options = { cwd, env: { DATABASE_URL: address } }
    const fixed = await run(['doctor', '--fix', '--json'], options)
    expect(JSON.parse(fixed.out)).toMatchObject({ ok: true, fixed: finds.length, problems: [] })
    expect(await problemsOf(address)).toEqual([])
    const found = await onServer(address, (sql) => sql.unsafe(query))
    expect([...found]).toEqual(left)
  })

  test('reports a missing table, which needs a backup', async () => {
    const { run } = commandLine()
    const address = await createUndamaged()
    await onServer(address, (sql) => sql.unsafe('drop table pinned_members'))
    const { code, err } = await run(['doctor', '--fix'], { cwd, env: { DATABASE_URL: address } })
    expect([code, err]).toEqual([
      1,
      'multitude: Problems found:\n  tables: the table pinned_members is missing (restore a backup)\n',
    ])
  })

  test('reports a clock that is more than a second off', async () => {
    await withDeps(undamaged, async (deps) => {
      const at = async (offset: number) => {
        const server = { ...deps, close: async () => {} }
        const found = await inspectServer(
          server,
          renderRowJson,
          () => Date.now() + offset,
        ).inspect()
        return found.map(({ problem }) => problem.replace(/\d\.\d/, 'N'))
      }
      expect(await at(0)).toEqual([])
      expect(await at(3_000)).toEqual(['this machine’s clock is N s ahead of the server’s'])
      expect(await at(-3_000)).toEqual(['this machine’s clock is N s behind the server’s'])
    })
  })
})
