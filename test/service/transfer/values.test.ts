import { existsSync, readFileSync } from 'node:fs'
import { asc, eq } from 'drizzle-orm'
import { accounts, members, switches, systems } from '../../../src/db/tables'
import type { JsonObject } from '../../../src/model/core/entity'
import { reportReason } from '../../../src/model/core/reasonMessages'
import { formatInstant } from '../../../src/model/core/time'
import type { ImportPart } from '../../../src/model/transfer/transfer'
import type { ImportReport } from '../../../src/service/transfer/import/importRun'
import { insertAccount } from '../../../src/store/access/accountRows'
import { fixture } from '../../formats/fixture'
import { drizzleOn } from '../../tools/drizzle'
import { createBot } from '../../tools/operatorActions'
import { readAllRows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { counts, createEventReader, exportText, importInto, pluralkit } from './importFixture'

const testApp = createTestApp()
const { deps, app } = testApp
const path = app.storage.location

describe('IDs of a file', () => {
  const timestamp = '2024-01-01T00:00:00Z'
  let files = 0
  /** Builds a file with IDs that no other file has, and returns these IDs. */
  const nextFile = () => {
    const mark = 'abcdefgh'[files++]
    const hids = ['hill', 'keep', 'team'].map((word) => `${word}x${mark}`)
    const uuids = Array.from({ length: 4 }, () => crypto.randomUUID())
    const [system, member, group] = hids
    const file = pluralkit({
      id: system,
      uuid: uuids[0],
      created: '2020-02-02T02:02:02.000002Z',
      members: [{ id: member, uuid: uuids[1], name: 'Wren' }],
      groups: [{ id: group, uuid: uuids[2], name: 'Keepers' }],
      switches: [{ timestamp, members: [member] }],
      multitude: { switches: [{ timestamp, uuid: uuids[3] }] },
    })
    return { file, ids: [...hids, ...uuids] }
  }

  test('keeps IDs of the file for new rows if they are free', async () => {
    const { file, ids } = nextFile()
    const report = await importInto(testApp, 'new', file)
    expect(report).toMatchObject({ system: ids[0] ?? '', renamed: [] })
    expect(await idsOf(report)).toEqual(ids)
    const { created } = (await systemOf(report)) ?? {}
    expect(formatInstant(created ?? 0)).toBe('2020-02-02T02:02:02.000002Z')
  })

  test('generates new IDs for rows whose IDs are in use, and reports old and new', async () => {
    const { file, ids } = nextFile()
    await importInto(testApp, 'new', file)
    const report = await importInto(testApp, 'new', file)
    const now = await idsOf(report)
    expect(report.system).toBe(now[0] ?? '')
    const names: Record<string, string> = { member: 'Wren', group: 'Keepers' }
    const renamed = (kind: string, at: number) => ({
      kind,
      name: names[kind] ?? null,
      from: ids[at],
      to: now[at],
    })
    expect(report.renamed as object[]).toEqual([
      renamed('system', 0),
      renamed('system', 3),
      renamed('member', 1),
      renamed('member', 4),
      renamed('group', 2),
      renamed('group', 5),
      renamed('switch', 6),
    ])
    for (const id of now.slice(0, 3)) expect(id).toMatch(/^[a-z]{6}$/)
    for (const [at, id] of ids.entries()) expect(now[at]).not.toBe(id)
  })

  test('returns a working token for a new system, but not in a dry run', async () => {
    const { file } = nextFile()
    const before = await readAllRows(deps.db)
    const planned = await importInto(testApp, 'new', file, { dryRun: true })
    expect([planned.system, planned.token]).toEqual(['', undefined])
    expect(await readAllRows(deps.db)).toEqual(before)
    const { system, token = '' } = await importInto(testApp, 'new', file)
    const headers = { authorization: token }
    expect((await testApp.ask('GET /v2/systems/@me', { headers })).json.id).toBe(system)
  })

  async function systemOf({ system }: ImportReport) {
    return drizzleOn(deps.db).select().from(systems).where(eq(systems.hid, system)).get()
  }

  async function idsOf(report: ImportReport): Promise<string[]> {
    const { id = 0 } = (await systemOf(report)) ?? {}
    const file = JSON.parse(await exportText(deps, id))
    const [member, group] = [file.members[0], file.groups[0]]
    const uuid = file.multitude.switches[0].uuid
    return [file.id, member.id, group.id, file.uuid, member.uuid, group.uuid, uuid]
  }
})

describe('accounts of a file', () => {
  const [free, taken, own] = ['111111111111111118', '222222222222222229', '333333333333333331']

  test('links accounts of a file by their exact ID unless another system has them', async () => {
    const [other, to] = [await testApp.makeSystem(), await testApp.makeSystem()]
    await deps.transact('new', (tx) => insertAccount(deps, tx, other.id, taken))
    await deps.transact('new', (tx) => insertAccount(deps, tx, to.id, own))
    const text = `{"switches":[],"accounts":[${free},${taken},${own}]}`
    const { accounts } = await importInto(testApp, to, Buffer.from(text))
    expect(await linkedTo(to)).toEqual([free, own])
    expect(await linkedTo(other)).toEqual([taken])
    expect(accounts).toEqual([
      { id: free, linked: true, ...reportReason('named_by_file') },
      { id: taken, linked: false, ...reportReason('linked_elsewhere') },
      { id: own, linked: true, ...reportReason('linked_already') },
    ])
  })

  async function linkedTo({ id }: TestSystem) {
    const rows = await drizzleOn(deps.db)
      .select()
      .from(accounts)
      .where(eq(accounts.system_id, id))
      .all()
    return rows.map((row) => row.id).toSorted()
  }
})

describe('import of an existing member', () => {
  const wren = {
    name: 'Wren',
    message_count: 40,
    created: '2022-01-01T00:00:00Z',
    last_message_timestamp: '2023-01-01T00:00:00Z',
  }
  const table: [title: string, file: JsonObject, now: JsonObject][] = [
    ['ignores a different message count', { message_count: 99 }, {}],
    ['takes an earlier creation date', { created: '2021-01-01T00:00:00Z' }, { created: '2021' }],
    ['ignores a later creation date', { created: '2023-01-01T00:00:00Z' }, {}],
    [
      'takes a later last message',
      { last_message_timestamp: '2024-01-01T00:00:00Z' },
      { last: '2024' },
    ],
    ['ignores an earlier last message', { last_message_timestamp: '2020-01-01T00:00:00Z' }, {}],
    ['ignores null dates', { created: null, last_message_timestamp: null }, {}],
  ]

  test.each(table)('%s of an existing member', async (_, given, now) => {
    const to = await testApp.makeSystem()
    expect(counts(await importInto(testApp, to, pluralkit({ members: [wren] })))[0]).toBe('1 0 0 0')
    const report = await importInto(
      testApp,
      to,
      pluralkit({ members: [{ name: 'Wren', ...given }] }),
    )
    const row = await drizzleOn(deps.db)
      .select()
      .from(members)
      .where(eq(members.system_id, to.id))
      .get()
    const year = (instant: number | null | undefined) => formatInstant(instant ?? 0).slice(0, 4)
    expect({
      count: row?.message_count,
      created: year(row?.created),
      last: year(row?.last_message_timestamp),
    }).toEqual({ count: 40, created: '2022', last: '2023', ...now })
    expect(counts(report)[0]).toBe(Object.keys(now).length > 0 ? '0 1 0 0' : '0 0 1 0')
  })
})

describe('import of existing groups and switches', () => {
  const [nine, ten] = ['2024-01-01T09:00:00Z', '2024-01-01T10:00:00.000001Z']
  const first = {
    members: [
      { id: 'wrenb', name: 'Wren' },
      { id: 'ashbb', name: 'Ash' },
    ],
    groups: [{ name: 'Keepers', members: ['wrenb'] }],
    switches: [{ timestamp: nine, members: ['wrenb', 'ashbb'] }],
  }

  test('adds members to existing groups without removing any, and keeps a switch of the same time', async () => {
    const to = await testApp.makeSystem()
    await importInto(testApp, to, pluralkit(first))
    const second = {
      ...first,
      groups: [{ name: 'Keepers', members: ['ashbb'] }],
      switches: [
        { timestamp: ten, members: ['ashbb', 'wrenb'] },
        { timestamp: nine, members: ['ashbb'] },
      ],
    }
    const report = await importInto(testApp, to, pluralkit(second))
    expect(counts(report)).toEqual(['0 0 2 0', '0 0 1 0', '1 0 0 0', '1 0 1 0'])
    const file = JSON.parse(await exportText(deps, to.id))
    const [wren, ash] = file.members.map(({ id }: { id: string }) => id)
    expect(file.groups[0].members).toEqual([wren, ash])
    expect(file.switches).toEqual([
      { timestamp: ten, members: [ash, wren] },
      { timestamp: nine, members: [wren, ash] },
    ])
  })

  const parts: [only: ImportPart[], counts: string[]][] = [
    [['members'], ['2 0 0 0', '0 0 0 1', '0 0 0 0', '0 0 0 1']],
    [['groups'], ['0 0 0 2', '1 0 0 0', '0 0 0 1', '0 0 0 1']],
    [['switches'], ['0 0 0 2', '0 0 0 1', '0 0 0 0', '0 0 0 1']],
    [
      ['members', 'switches'],
      ['2 0 0 0', '0 0 0 1', '0 0 0 0', '1 0 0 0'],
    ],
  ]

  test.each(parts)('imports nothing but %j when only these are chosen', async (only, expected) => {
    const to = await testApp.makeSystem('Before')
    const file = pluralkit({
      ...first,
      name: 'After',
      accounts: ['444444444444444444'],
      multitude: { kept: { notes: [1] } },
    })
    const report = await importInto(testApp, to, file, { only: new Set(only) })
    expect([counts(report), report.kept]).toEqual([expected, {}])
    const now = JSON.parse(await exportText(deps, to.id))
    expect([now.name, now.accounts, now.multitude.kept]).toEqual(['Before', [], {}])
  })
})

describe('events of an import', () => {
  const table: [title: string, file: JsonObject, events: string[]][] = [
    ['no events for an empty file', {}, []],
    ['no events for unchanged values', { name: 'Hill', config: { pings_enabled: true } }, []],
    ['events for a new name', { name: 'Mill' }, ['UPDATE_SYSTEM', 'SUCCESSFUL_IMPORT']],
    [
      'events for an earlier creation date',
      { created: '2000-01-01T00:00:00Z' },
      ['UPDATE_SYSTEM', 'SUCCESSFUL_IMPORT'],
    ],
    [
      'events for other settings',
      { config: { pings_enabled: false } },
      ['UPDATE_SETTINGS', 'SUCCESSFUL_IMPORT'],
    ],
    [
      'events for an account',
      { accounts: ['555555555555555555'] },
      ['LINK_ACCOUNT', 'SUCCESSFUL_IMPORT'],
    ],
    [
      'one event for members, groups and switches',
      {
        members: [{ id: 'wrenc', name: 'Wren' }, { name: 'Ash' }],
        groups: [{ name: 'Keepers', members: ['wrenc'] }],
        switches: [{ timestamp: '2024-01-01T00:00:00Z', members: ['wrenc'] }],
      },
      ['SUCCESSFUL_IMPORT'],
    ],
    [
      'an event for an archived row',
      { multitude: { kept: { notes: [{}] } } },
      ['SUCCESSFUL_IMPORT'],
    ],
    [
      'an event for settings of a guild',
      { multitude: { system_guilds: [{ guild_id: '7', tag: 'x' }] } },
      ['SUCCESSFUL_IMPORT'],
    ],
  ]

  test.each(table)('an import records %s', async (_, file, expected) => {
    const to = await testApp.makeSystem('Hill')
    const readEvents = await createEventReader(testApp, to)
    await importInto(testApp, to, pluralkit(file), { dryRun: true })
    expect(await readEvents()).toEqual([])
    await importInto(testApp, to, pluralkit(file))
    expect(await readEvents()).toEqual(expected)
  })
})

test('archives collections of any name and exports them again', async () => {
  const to = await testApp.makeSystem()
  const kept = { notes: [{ text: 'a' }], constructor: [{ text: 'b' }], toString: ['c'] }
  const { kept: counted } = await importInto(testApp, to, pluralkit({ multitude: { kept } }))
  expect(Object.entries(counted)).toEqual([
    ['notes', 1],
    ['constructor', 1],
    ['toString', 1],
  ])
  const file = JSON.parse(await exportText(deps, to.id))
  expect(Object.entries(file.multitude.kept)).toEqual(Object.entries(kept))
})

test('proxies by new and changed proxy tags of imported members', async () => {
  const to = await testApp.makeSystem()
  const account = '666666666666666661'
  await deps.transact('new', (tx) => insertAccount(deps, tx, to.id, account))
  const authorization = `Bot ${await createBot(deps, 'bot')}`
  const proxied = async (content: string) => {
    const body = { account_id: account, guild_id: '1', channel_id: '2', message_id: '3', content }
    const headers = { authorization }
    const { json } = await testApp.ask<{ member?: JsonObject }>('POST /bot/proxy', {
      body,
      headers,
    })
    return json.member?.name
  }
  const wren = (prefix: string) =>
    pluralkit({ members: [{ name: 'Wren', proxy_tags: [{ prefix }] }] })
  await importInto(testApp, to, wren('w:'))
  expect(await proxied('w: hello')).toBe('Wren')
  await importInto(testApp, to, wren('W>'))
  expect(await proxied('W> hello')).toBe('Wren')
  expect(await proxied('w: hello')).toBeUndefined()
})

describe('secrets in imported files', () => {
  const files = ['simplyplural.json', 'simplyplural-nasty.json', 'simplyplural-cache.json']

  test('does not store, log or return secrets of a Simply Plural file', async () => {
    const to = await testApp.makeSystem()
    let output = ''
    for (const name of files) {
      const text = Buffer.from(fixture(name)).toString()
      expect(text).toContain('SECRET')
      for (const query of ['?dry_run=true', '', '?public=true']) {
        const answer = await testApp.ask(`POST /v2/systems/@me/import${query}`, {
          as: to,
          body: text,
        })
        expect(answer.status).toBe(200)
        output += answer.text
      }
    }
    output += testApp.logged()
    output += await exportText(deps, to.id)
    output += JSON.stringify(await readAllRows(deps.db))
    // Also search the raw database files, which exist on SQLite only.
    for (const file of [path, `${path}-wal`])
      if (existsSync(file)) output += readFileSync(file, 'latin1')
    expect(output).toContain('Keeps the lamps.')
    expect(output).not.toContain('SECRET')
  })

  test('does not store or return the webhook URL of a PluralKit file', async () => {
    const webhook_url = 'https://hooks.example.org/s3cr3t-path'
    const smuggled = [{ kind: 'system', id: 'hooks', field: 'webhook_url', value: webhook_url }]
    const unfit = [...smuggled, 5, { kind: { toString: 1 } }]
    const files = [
      fixture('pluralkit-nasty.json'),
      pluralkit({ id: 'hooks', webhook_url, multitude: { unfit } }),
    ]
    const reports = files.map(async (file) => importInto(testApp, await testApp.makeSystem(), file))
    const output = JSON.stringify([await Promise.all(reports), await readAllRows(deps.db)])
    expect(output).not.toContain('s3cr3t')
  })
})

test('imports all switches of a long history in order', async () => {
  const to = await testApp.makeSystem()
  const long = Array.from({ length: 1203 }, (_, at) => ({
    timestamp: formatInstant(1_700_000_000_000_000 + at),
    members: at % 3 === 0 ? [] : ['wrend'],
  }))
  const file = pluralkit({ members: [{ id: 'wrend', name: 'Wren' }], switches: long.toReversed() })
  const progress: string[] = []
  const onProgress = (done: number, total: number) => progress.push(`${done} of ${total}`)
  expect(counts(await importInto(testApp, to, file, { onProgress }))[3]).toBe('1203 0 0 0')
  expect(progress.at(-1)).toBe('1204 of 1204')
  const rows = await drizzleOn(deps.db)
    .select()
    .from(switches)
    .where(eq(switches.system_id, to.id))
    .orderBy(asc(switches.id))
    .all()
  expect(rows.map(({ timestamp }) => formatInstant(timestamp))).toEqual(
    long.map(({ timestamp }) => timestamp),
  )
})
