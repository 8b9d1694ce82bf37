import type { JsonObject } from '../../../src/model/core/entity'
import { reportReason } from '../../../src/model/core/reasonMessages'
import type { ImportReport } from '../../../src/service/transfer/import/importRun'
import { insertAccount } from '../../../src/store/access/accountRows'
import {
  createEventReader,
  exportText,
  importInto,
  pluralkit,
} from '../../service/transfer/importFixture'
import { createBot } from '../../tools/operatorActions'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const testApp = createTestApp()
const { deps } = testApp
const importRequest = 'POST /v2/systems/@me/import'
const bot = createBot(deps, 'discord')

let accountCount = 0
const nextAccount = () => `7000000000000${String(accountCount++).padStart(5, '0')}`
const textOf = (parts: JsonObject) => new TextDecoder().decode(pluralkit(parts))

describe('accounts in an imported file', () => {
  test('an import by the owner reports accounts without linking them, because a file can name any account', async () => {
    const [me, them] = [await testApp.makeSystem(), await testApp.makeSystem()]
    const [free, own, taken] = [nextAccount(), nextAccount(), nextAccount()]
    await link(me, own)
    await link(them, taken)
    const body = textOf({ name: 'Claims', accounts: [free, own, taken] })
    const newEvents = await createEventReader(testApp, me)
    for (const query of ['?dry_run=true', '']) {
      const { status, json } = await testApp.ask<ImportReport>(importRequest + query, {
        as: me,
        body,
      })
      expect(status).toBe(200)
      expect(json.accounts).toEqual([
        { id: free, linked: false, ...reportReason('not_vouched') },
        { id: own, linked: true, ...reportReason('linked_already') },
        { id: taken, linked: false, ...reportReason('linked_elsewhere') },
      ])
    }
    expect(await newEvents()).toEqual(['UPDATE_SYSTEM', 'SUCCESSFUL_IMPORT'])
    expect(await ownerOf(free)).toBe(404)
    expect(await ownerOf(taken)).toBe(them.hid)
  })

  test('an import by a bot links the accounts of the query and records each', async () => {
    const [me, them] = [await testApp.makeSystem(), await testApp.makeSystem()]
    const [first, second, taken, other] = [1, 2, 3, 4].map(nextAccount)
    await link(them, taken ?? '')
    const body = textOf({ accounts: [first, second, taken] })
    const newEvents = await createEventReader(testApp, me)
    const { json } = await asBot(me, `?link=${first},${taken},${other}`, body)
    expect(json.accounts).toEqual([
      { id: first ?? '', linked: true, ...reportReason('named_by_file') },
      { id: second ?? '', linked: false, ...reportReason('not_vouched') },
      { id: taken ?? '', linked: false, ...reportReason('linked_elsewhere') },
      { id: other ?? '', linked: false, ...reportReason('not_named_by_file') },
    ])
    expect(await newEvents()).toEqual(['LINK_ACCOUNT', 'SUCCESSFUL_IMPORT'])
    expect(await ownerOf(first ?? '')).toBe(me.hid)
    expect(await ownerOf(second ?? '')).toBe(404)
    expect(await ownerOf(taken ?? '')).toBe(them.hid)
  })

  test('an import refuses accounts to link from the owner, and invalid ones from a bot', async () => {
    const me = await testApp.makeSystem()
    const body = textOf({ accounts: ['1'] })
    const byOwner = await testApp.ask(`${importRequest}?link=1`, { as: me, body })
    expect([byOwner.status, byOwner.json.code]).toEqual([403, 0])
    const invalid = await asBot(me, '?link=wren', body)
    expect([invalid.status, invalid.json]).toMatchObject([400, { code: 0 }])
  })

  test('an import by a bot links only accounts of its own platform', async () => {
    const me = await testApp.makeSystem()
    const mine = nextAccount()
    const [wren, ash] = ['matrix:@wren:example.org', 'irc:ash']
    await link(me, 'matrix:@me:example.org')
    const named = [mine, wren, ash].map((id) => ({ id }))
    const body = textOf({ multitude: { accounts: named } })
    const key = await createBot(deps, 'matrix', 'matrix')
    for (const query of [`?link=${mine}`, `?link=${wren},${ash}`, `?link=matrix:${mine},${mine}`])
      expect((await asBot(me, query, body, key)).status).toBe(403)
    expect((await asBot(me, `?link=${wren}`, body)).status).toBe(403)
    expect((await asBot(me, '?link=@wren:example.org', body, key)).status).toBe(400)
    const { json } = await asBot(me, `?link=${wren}`, body, key)
    expect(json.accounts).toEqual([
      { id: mine, linked: false, ...reportReason('not_vouched') },
      { id: wren, linked: true, ...reportReason('named_by_file') },
      { id: ash, linked: false, ...reportReason('not_vouched') },
    ])
    expect(await ownerOf(wren)).toBe(me.hid)
  })

  test('an import reads Discord accounts from PluralKit files and all platforms from its own files', async () => {
    const me = await testApp.makeSystem()
    const listed = ['5', 'matrix:@a:b', 'discord:6', 'IRC:x', 'irc:..', 'irc:a b']
    const readFrom = async (parts: JsonObject) => {
      const body = textOf(parts)
      const { json } = await testApp.ask<ImportReport>(`${importRequest}?dry_run=true`, {
        as: me,
        body,
      })
      return json.accounts.map(({ id }) => id)
    }
    expect(await readFrom({ accounts: listed })).toEqual(['5'])
    expect(await readFrom({ accounts: ['1'], multitude: { accounts: listed } })).toEqual([
      '5',
      'matrix:@a:b',
      '6',
    ])
  })

  async function asBot(me: TestSystem, query: string, body: string, key?: string) {
    const headers = { authorization: `Bot ${key ?? (await bot)}`, 'x-system': me.hid }
    return testApp.ask<ImportReport>(importRequest + query, { headers, body })
  }

  async function link({ id }: TestSystem, account: string): Promise<void> {
    await deps.transact('new', (tx) => insertAccount(deps, tx, id, account))
  }

  /** Returns the ID of the system that the account is linked to, or the status of the error. */
  async function ownerOf(account: string): Promise<unknown> {
    const { status, json } = await testApp.ask(`GET /v2/systems/${account}`)
    return status === 200 ? json.id : status
  }
})

describe('concurrent imports', () => {
  test('a second import into a system gets 429 while the first one is uploaded', async () => {
    const as = await testApp.makeSystem()
    const upload = uploadSlowly(as)
    await upload.begun
    for (const line of [importRequest, `${importRequest}?dry_run=true`]) {
      const { status, json, headers } = await testApp.ask(line, { as, body: textOf({}) })
      expect([status, json.code]).toEqual([429, 0])
      expect(json.message).toContain('a file is being imported into this system')
      expect(headers.get('retry-after')).toBe('5')
      expect(json.retry_after).toBe(5000)
    }
    upload.finish()
    expect((await upload.answer).status).toBe(200)
    expect((await testApp.ask(importRequest, { as, body: textOf({}) })).status).toBe(200)
  })

  test('an import does not wait for uploads of other systems', async () => {
    const senders = [
      await testApp.makeSystem(),
      await testApp.makeSystem(),
      await testApp.makeSystem(),
    ]
    const uploads = senders.map(uploadSlowly)
    for (const { begun } of uploads) await begun
    const as = await testApp.makeSystem()
    expect((await testApp.ask(importRequest, { as, body: textOf({}) })).status).toBe(200)
    for (const { finish } of uploads) finish()
    for (const { answer } of uploads) expect((await answer).status).toBe(200)
  })

  test('a refused import does not block the next one', async () => {
    const as = await testApp.makeSystem()
    for (let time = 0; time < 4; time++) {
      const { status } = await testApp.ask(importRequest, { as, body: 'nothing of the kind' })
      expect(status).toBe(400)
    }
  })

  /** Sends a file that does not end before `finish` is called. */
  function uploadSlowly({ token }: TestSystem) {
    const reading = Promise.withResolvers<void>()
    const ending = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          reading.resolve()
          await ending.promise
          controller.enqueue(Buffer.from('{"switches":[]}'))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', headers: { authorization: token }, body }
    const request = new Request('http://localhost/v2/systems/@me/import', init)
    const answer = testApp.app.handle(request, '127.0.0.1')
    return { answer, begun: reading.promise, finish: ending.resolve }
  }
})

describe('rows that an import leaves out', () => {
  const at = '2024-01-01T00:00:00Z'
  const cases: [name: string, file: JsonObject, counted: object, reason: RegExp][] = [
    [
      'a switch with a bad time',
      { switches: [{ timestamp: 'noon', members: [] }] },
      { switches: { left_out: 1 } },
      /not a time/,
    ],
    [
      'a switch without members',
      { switches: [{ timestamp: at }] },
      { switches: { left_out: 1 } },
      /no list of members/,
    ],
    [
      'the second of two switches at one time',
      {
        switches: [
          { timestamp: at, members: [] },
          { timestamp: at, members: [] },
        ],
      },
      { switches: { added: 1, left_out: 1 } },
      /several at one time/,
    ],
    [
      'rows that are not objects',
      { members: ['Wren', { name: 'Ash' }], groups: [7], switches: [null] },
      { members: { added: 1, left_out: 1 }, groups: { left_out: 1 }, switches: { left_out: 1 } },
      /not an object/,
    ],
    [
      'an unknown member of a group',
      { groups: [{ name: 'Keepers', members: ['nobody'] }] },
      { groups: { added: 1 }, memberships: { added: 0, left_out: 1 } },
      /no such member/,
    ],
  ]

  test.each(cases)(
    'an import counts %s as left out, not as repaired',
    async (_, file, counted, reason) => {
      const to = await testApp.makeSystem()
      for (const dryRun of [true, false]) {
        const report = await importInto(testApp, to, pluralkit(file), { dryRun })
        expect(report).toMatchObject(counted)
        const leftOut = report.repairs.filter(({ left_out }) => left_out !== undefined)
        expect(leftOut[0]?.why).toMatch(reason)
      }
    },
  )

  test('an import does not count a row with a repaired value as left out', async () => {
    const to = await testApp.makeSystem()
    const report = await importInto(
      testApp,
      to,
      pluralkit({ members: [{ id: 'wrenzz', name: 'Wren', color: 'red' }] }),
    )
    expect(report.members).toEqual({ added: 1, changed: 0, unchanged: 0, left_out: 0 })
    expect(report.repairs).toEqual([
      {
        kind: 'member',
        name: 'Wren',
        id: 'wrenzz',
        field: 'color',
        was: 'red',
        now: null,
        ...reportReason('not_color'),
      },
    ])
  })
})

test('a setting that only PluralKit has is stored and exported, but not shown', async () => {
  const as = await testApp.makeSystem()
  const newEvents = await createEventReader(testApp, as)
  const config = { card_show_color_hex: true }
  const { repairs } = await importInto(testApp, as, pluralkit({ config }))
  expect(repairs).toEqual([])
  expect(await newEvents()).toEqual(['SUCCESSFUL_IMPORT'])
  expect(JSON.parse(await exportText(deps, as.id)).config.card_show_color_hex).toBe(true)
  const { json } = await testApp.ask('GET /v2/systems/@me/settings', { as })
  expect(json).not.toHaveProperty('card_show_color_hex')
})

test('an import from Simply Plural makes everything private and reports that first', async () => {
  const file = Buffer.from(
    JSON.stringify({ frontStatuses: [], members: [{ _id: '1', name: 'Wren' }] }),
  )
  const to = await testApp.makeSystem()
  const [first] = (await importInto(testApp, to, file, { dryRun: true })).repairs
  expect(first).toMatchObject({ kind: 'file', field: 'privacy', now: 'private' })
  expect((await importInto(testApp, to, file, { dryRun: true, isPublic: true })).repairs).toEqual(
    [],
  )
})

test('an import from Simply Plural takes the creation time from the ID of a row', async () => {
  const to = await testApp.makeSystem()
  const members = [
    { _id: '64a000000000000000000001', name: 'Wren' },
    { _id: 'zz', name: 'Ash' },
  ]
  const before = Date.now()
  await importInto(testApp, to, Buffer.from(JSON.stringify({ frontStatuses: [], members })))
  const { json } = await testApp.ask<JsonObject[]>('GET /v2/systems/@me/members', { as: to })
  const [wren = '', ash = ''] = json.map(({ created }) => String(created))
  expect(wren).toStartWith('2023-07')
  expect(Date.parse(ash)).toBeGreaterThanOrEqual(before)
})

describe('parts of an export', () => {
  test.each([
    ['4', 404],
    ['99999', 404],
    ['0', 400],
    ['-1', 400],
    ['two', 400],
    ['', 400],
    ['1.5', 400],
  ])('an export refuses the part "%s"', async (part, status) => {
    const answer = await testApp.ask(`GET /v2/systems/@me/export?part=${part}`, {
      as: await testApp.makeSystem(),
    })
    expect([answer.status, answer.json.code]).toEqual([status, 0])
  })
})
