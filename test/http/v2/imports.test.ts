import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/model/entity'
import { insertAccount } from '../../../src/service/accounts'
import type { ImportReport } from '../../../src/service/transfer/importContext'
import { createBot } from '../../operatorActions'
import { change } from '../../rawSql'
import { exportText, importInto, listener, pluralkit } from '../../service/transfer/importFixture'
import { createTestApp, type TestSystem } from '../../testApp'

const place = createTestApp()
const { deps } = place
const importing = 'POST /v2/systems/@me/import'
const bot = createBot(deps, 'discord')

let accounts = 0
const nextAccount = () => `7000000000000${String(accounts++).padStart(5, '0')}`
const textOf = (parts: JsonObject) => new TextDecoder().decode(pluralkit(parts))

describe('accounts that a file names', () => {
  const WAITS = 'link it from that account'

  test('are told and not linked when a system sends it: anybody could name anybody', async () => {
    const [me, them] = [await place.makeSystem(), await place.makeSystem()]
    const [free, own, taken] = [nextAccount(), nextAccount(), nextAccount()]
    await link(me, own)
    await link(them, taken)
    const body = textOf({ name: 'Claims', accounts: [free, own, taken] })
    const told = await listener(place, me)
    for (const query of ['?dry_run=true', '']) {
      const { status, json } = await place.ask<ImportReport>(importing + query, { as: me, body })
      expect(status).toBe(200)
      expect(json.accounts).toEqual([
        { id: free, linked: false, why: WAITS },
        { id: own, linked: true, why: 'was linked already' },
        { id: taken, linked: false, why: 'is linked to another system here' },
      ])
    }
    expect(await told()).toEqual(['UPDATE_SYSTEM', 'SUCCESSFUL_IMPORT'])
    expect(await ownerOf(free)).toBe(404)
    expect(await ownerOf(taken)).toBe(them.hid)
  })

  test('are linked when a bot vouches for them, and each is told', async () => {
    const [me, them] = [await place.makeSystem(), await place.makeSystem()]
    const [first, second, taken, other] = [1, 2, 3, 4].map(nextAccount)
    await link(them, taken ?? '')
    const body = textOf({ accounts: [first, second, taken] })
    const told = await listener(place, me)
    const { json } = await asBot(me, `?link=${first},${taken},${other}`, body)
    expect(json.accounts).toEqual([
      { id: first ?? '', linked: true, why: 'is named by the file' },
      { id: second ?? '', linked: false, why: WAITS },
      { id: taken ?? '', linked: false, why: 'is linked to another system here' },
      { id: other ?? '', linked: false, why: 'is not named by the file' },
    ])
    expect(await told()).toEqual(['LINK_ACCOUNT', 'SUCCESSFUL_IMPORT'])
    expect(await ownerOf(first ?? '')).toBe(me.hid)
    expect(await ownerOf(second ?? '')).toBe(404)
    expect(await ownerOf(taken ?? '')).toBe(them.hid)
  })

  test('are not vouched for by a system, nor by what is no account', async () => {
    const me = await place.makeSystem()
    const body = textOf({ accounts: ['1'] })
    const own = await place.ask(`${importing}?link=1`, { as: me, body })
    expect([own.status, own.json.code]).toEqual([403, 0])
    const wrong = await asBot(me, '?link=wren', body)
    expect([wrong.status, wrong.json]).toMatchObject([400, { code: 0 }])
  })

  test('are vouched for by bots of their own platform alone', async () => {
    const me = await place.makeSystem()
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
      { id: mine, linked: false, why: WAITS },
      { id: wren, linked: true, why: 'is named by the file' },
      { id: ash, linked: false, why: WAITS },
    ])
    expect(await ownerOf(wren)).toBe(me.hid)
  })

  test('are Discord’s in a file of PluralKit, of all platforms in one of ours', async () => {
    const me = await place.makeSystem()
    const given = ['5', 'matrix:@a:b', 'discord:6', 'IRC:x', 'irc:..', 'irc:a b']
    const readFrom = async (parts: JsonObject) => {
      const body = textOf(parts)
      const { json } = await place.ask<ImportReport>(`${importing}?dry_run=true`, { as: me, body })
      return json.accounts.map(({ id }) => id)
    }
    expect(await readFrom({ accounts: given })).toEqual(['5'])
    expect(await readFrom({ accounts: ['1'], multitude: { accounts: given } })).toEqual([
      '5',
      'matrix:@a:b',
      '6',
    ])
  })

  async function asBot(me: TestSystem, query: string, body: string, key?: string) {
    const headers = { authorization: `Bot ${key ?? (await bot)}`, 'x-system': me.hid }
    return place.ask<ImportReport>(importing + query, { headers, body })
  }

  async function link({ id }: TestSystem, account: string): Promise<void> {
    await deps.transact('new', (tx) => insertAccount(deps, tx, id, account))
  }

  /** Whose it is, or the status that says it is nobody's. */
  async function ownerOf(account: string): Promise<unknown> {
    const { status, json } = await place.ask(`GET /v2/systems/${account}`)
    return status === 200 ? json.id : status
  }
})

describe('imports at once', () => {
  test('are one for each system: a further one gets 429 from the first byte on', async () => {
    const as = await place.makeSystem()
    const upload = slowly(as)
    await upload.begun
    for (const line of [importing, `${importing}?dry_run=true`]) {
      const { status, json, headers } = await place.ask(line, { as, body: textOf({}) })
      expect([status, json.code]).toEqual([429, 0])
      expect(json.message).toContain('a file is being imported into this system')
      expect(headers.get('retry-after')).toBe('5')
      expect(json.retry_after).toBe(5000)
    }
    upload.finish()
    expect((await upload.answer).status).toBe(200)
    expect((await place.ask(importing, { as, body: textOf({}) })).status).toBe(200)
  })

  test('are not kept waiting by files of other systems that still arrive', async () => {
    const senders = [await place.makeSystem(), await place.makeSystem(), await place.makeSystem()]
    const uploads = senders.map(slowly)
    for (const { begun } of uploads) await begun
    const as = await place.makeSystem()
    expect((await place.ask(importing, { as, body: textOf({}) })).status).toBe(200)
    for (const { finish } of uploads) finish()
    for (const { answer } of uploads) expect((await answer).status).toBe(200)
  })

  test('that were refused or broken make room again', async () => {
    const as = await place.makeSystem()
    for (let time = 0; time < 4; time++) {
      const { status } = await place.ask(importing, { as, body: 'nothing of the kind' })
      expect(status).toBe(400)
    }
  })

  /** Sends a file that does not end before it is told to. */
  function slowly({ token }: TestSystem) {
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
    const answer = place.app.handle(request, '127.0.0.1')
    return { answer, begun: reading.promise, finish: ending.resolve }
  }
})

describe('rows that do not come in', () => {
  const at = '2024-01-01T00:00:00Z'
  const cases: [says: string, file: JsonObject, counted: object, why: RegExp][] = [
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
      'two switches at one time',
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
      'what is no object',
      { members: ['Wren', { name: 'Ash' }], groups: [7], switches: [null] },
      { members: { added: 1, left_out: 1 }, groups: { left_out: 1 }, switches: { left_out: 1 } },
      /not an object/,
    ],
    [
      'a group’s unknown member',
      { groups: [{ name: 'Keepers', members: ['nobody'] }] },
      { groups: { added: 1 }, memberships: { added: 0, left_out: 1 } },
      /no such member/,
    ],
  ]

  test.each(cases)(
    '%s is counted, and told apart from a value that was mended',
    async (_, file, counted, why) => {
      const to = await place.makeSystem()
      for (const dryRun of [true, false]) {
        const report = await importInto(place, to, pluralkit(file), { dryRun })
        expect(report).toMatchObject(counted)
        const told = report.repairs.filter(({ left_out }) => left_out !== undefined)
        expect(told[0]?.why).toMatch(why)
      }
    },
  )

  test('a value that was mended leaves nothing out', async () => {
    const to = await place.makeSystem()
    const report = await importInto(
      place,
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
        why: 'not a colour',
      },
    ])
  })
})

describe('what is kept aside', () => {
  test('ends at 100,000 rows; the rest is counted, and comes in nowhere', async () => {
    const to = await place.makeSystem()
    const notes = Array.from({ length: 100_050 }, (_, at) => at)
    const report = await importInto(place, to, pluralkit({ multitude: { kept: { notes } } }))
    expect([report.kept, report.skipped]).toEqual([{ notes: 100_000 }, { notes: 50 }])
    const more = await importInto(
      place,
      to,
      pluralkit({ multitude: { kept: { polls: [1], notes: [5] } } }),
    )
    expect([more.kept, more.skipped]).toEqual([{ notes: 1 }, { polls: 1 }])
  }, 180_000)

  test('ends at 32 MiB, and no row is larger than one', async () => {
    const to = await place.makeSystem()
    const MiB = 1024 * 1024
    const notes = Array.from({ length: 33 }, (_, at) => `${at}`.padEnd(MiB - 2, '.'))
    const file = pluralkit({ multitude: { kept: { notes, polls: ['x'.repeat(MiB)] } } })
    const report = await importInto(place, to, file)
    expect([report.kept, report.skipped]).toEqual([{ notes: 32 }, { notes: 1, polls: 1 }])
  }, 180_000)
})

test('a setting that only PluralKit has is kept, exported and not shown', async () => {
  const as = await place.makeSystem()
  const told = await listener(place, as)
  const config = { card_show_color_hex: true }
  const { repairs } = await importInto(place, as, pluralkit({ config }))
  expect(repairs).toEqual([])
  expect(await told()).toEqual(['SUCCESSFUL_IMPORT'])
  expect(JSON.parse(await exportText(deps, as.id)).config.card_show_color_hex).toBe(true)
  const { json } = await place.ask('GET /v2/systems/@me/settings', { as })
  expect(json).not.toHaveProperty('card_show_color_hex')
})

test('what came from Simply Plural is private, and the report says so first', async () => {
  const file = Buffer.from(
    JSON.stringify({ frontStatuses: [], members: [{ _id: '1', name: 'Wren' }] }),
  )
  const to = await place.makeSystem()
  const [first] = (await importInto(place, to, file, { dryRun: true })).repairs
  expect(first).toMatchObject({ kind: 'file', field: 'privacy', now: 'private' })
  expect((await importInto(place, to, file, { dryRun: true, isPublic: true })).repairs).toEqual([])
})

test('a row of Simply Plural was made when its ID says', async () => {
  const to = await place.makeSystem()
  const members = [
    { _id: '64a000000000000000000001', name: 'Wren' },
    { _id: 'zz', name: 'Ash' },
  ]
  await importInto(place, to, Buffer.from(JSON.stringify({ frontStatuses: [], members })))
  const { json } = await place.ask<JsonObject[]>('GET /v2/systems/@me/members', { as: to })
  expect(json.map(({ created }) => String(created).slice(0, 7))).toEqual([
    '2023-07',
    new Date().toISOString().slice(0, 7),
  ])
})

describe('a history of more than 100,000 switches', () => {
  const as = place.makeSystem('Long')

  test('is exported in parts, each a file that can be imported, until no part is left', async () => {
    const { id } = await as
    const sql = `
      insert into switches (uuid, system_id, timestamp)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 200001)
      select '00000000-0000-4000-8000-' || substr(cast(1000000000000 + i as text), 2), ${id},
        i * 1000000.0 from n`
    await deps.transact('new', (tx) => change(tx, sql))
    await importInto(place, await as, pluralkit({ multitude: { kept: { notes: ['once'] } } }))
    const parts: { switches: { timestamp: string }[]; multitude: { kept: object } }[] = []
    for (const query of ['', '?part=2', '?part=3']) {
      const line = `GET /v2/systems/@me/export${query}`
      const { status, json, headers } = await place.ask(line, { as: await as })
      expect(status).toBe(200)
      parts.push(json as unknown as (typeof parts)[number])
      const next = parts.length < 3 ? `<export?part=${parts.length + 1}>; rel="next"` : null
      expect(headers.get('link')).toBe(next)
    }
    expect(parts.map(({ switches }) => switches.length)).toEqual([100_000, 100_000, 1])
    expect(parts.map(({ multitude }) => multitude.kept)).toEqual([{ notes: ['once'] }, {}, {}])
    const times = parts.flatMap(({ switches }) => switches.map((one) => Date.parse(one.timestamp)))
    expect(times.every((time, at) => at === 0 || time < (times[at - 1] ?? 0))).toBe(true)
    const to = await place.makeSystem()
    const report = await importInto(place, to, Buffer.from(JSON.stringify(parts[2])))
    expect(report).toMatchObject({ repairs: [], switches: { added: 1 } })
  }, 120_000)

  test.each([
    ['4', 404],
    ['99999', 404],
    ['0', 400],
    ['-1', 400],
    ['two', 400],
    ['', 400],
    ['1.5', 400],
  ])('has no part "%s"', async (part, status) => {
    const answer = await place.ask(`GET /v2/systems/@me/export?part=${part}`, {
      as: await place.makeSystem(),
    })
    expect([answer.status, answer.json.code]).toEqual([status, 0])
  })
})
