import type { Db } from '../../../src/db/types'
import type { JsonObject } from '../../../src/model/core/entity'
import { insertGroup } from '../../../src/service/groups/groups'
import { insertMember } from '../../../src/service/members/members'
import { execute, rows, withFailingTrigger } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type RequestOptions, type TestSystem } from '../../tools/testApp'
import { until } from '../../tools/until'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { ask, deps, app } = testApp

const kinds = {
  members: { insert: insertMember, cacheTable: 'rendered_members' },
  groups: { insert: insertGroup, cacheTable: 'rendered_groups' },
} as const

type Noun = keyof typeof kinds

interface CreatedRow {
  id: number
  hid: string
}

/** Creates many rows of a system in one transaction. */
function createRows(
  system: TestSystem,
  noun: Noun,
  count: number,
  more: object = {},
): Promise<CreatedRow[]> {
  return deps.transact('new', async (tx) => {
    const created: CreatedRow[] = []
    for (let at = 0; at < count; at++)
      created.push(await kinds[noun].insert(tx, system.id, { name: `Number ${at}`, ...more }))
    return created
  })
}

const bulk = (noun: Noun) => `PATCH /v2/systems/@me/${noun}`

/** Repeats the requests until the work is done, and returns how many were answered before that. */
async function countUntilDone(work: Promise<unknown>, request: () => Promise<unknown>) {
  let isDone = false
  const end = () => {
    isDone = true
  }
  work.then(end, end)
  for (let answered = 0; ; answered++) {
    await request()
    if (isDone) return answered
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Runs `work` in a transaction, and commits it only once the request waits for its own transaction. */
async function changeMeanwhile(
  { id }: TestSystem,
  request: () => ReturnType<typeof ask<JsonObject[]>>,
  work: (tx: Db) => Promise<void>,
) {
  const { writeStats } = app.storage
  const answer = Promise.withResolvers<Awaited<ReturnType<typeof request>>>()
  // An earlier write that ends meanwhile must not hide the one that begins.
  await until(() => writeStats.waiting === 0)
  await deps.transact({ system: id }, async (tx) => {
    let fewest = writeStats.waiting
    request().then(answer.resolve, answer.reject)
    await until(() => {
      fewest = Math.min(fewest, writeStats.waiting)
      return writeStats.waiting > fewest
    })
    await work(tx)
  })
  return answer.promise
}

const eventsOf = (systemId: number) =>
  rows<{ type: string; data: string }>(
    deps.db,
    'select type, data from events where system_id = :systemId order by id',
    { systemId },
  )

describe.each(['members', 'groups'] as const)('a bulk change of %s', (noun) => {
  test(`a bulk change of ${noun} keeps what another request changes between preparation and transaction`, async () => {
    const me = await testApp.makeSystem()
    const created = await createRows(me, noun, 3)
    const [first, second, third] = created
    const { status, json } = await changeMeanwhile(
      me,
      () =>
        ask<JsonObject[]>(bulk(noun), {
          as: me,
          body: created.map(({ hid }) => ({ id: hid, color: 'aabbcc' })),
        }),
      (tx) =>
        execute(
          tx,
          `update ${noun} set description = 'from another request', visibility = 'private',
           color = case when id = :third then 'aabbcc' else color end where id in (:second, :third)`,
          { second: second?.id ?? 0, third: third?.id ?? 0 },
        ),
    )
    expect(status).toBe(200)
    const changed = { description: 'from another request', privacy: { visibility: 'private' } }
    expect(json).toMatchObject([
      { id: first?.hid, color: 'aabbcc', description: null, privacy: { visibility: 'public' } },
      { id: second?.hid, color: 'aabbcc', ...changed },
      { id: third?.hid, color: 'aabbcc', ...changed },
    ])
    const { json: stored } = await ask<JsonObject[]>(`GET /v2/systems/@me/${noun}`, { as: me })
    expect(stored).toEqual(json)
    const { json: publicList } = await ask<JsonObject[]>(`GET /v2/systems/${me.hid}/${noun}`)
    expect(publicList.map(({ id }) => id)).toEqual([first?.hid])
    // The third row already had the colour, so its event is missing.
    expect(await eventsOf(me.id)).toHaveLength(2)
  })

  test(`a bulk change of ${noun} changes nothing when one is deleted between preparation and transaction`, async () => {
    const me = await testApp.makeSystem()
    const created = await createRows(me, noun, 2)
    const { status, json } = await changeMeanwhile(
      me,
      () =>
        ask<JsonObject[]>(bulk(noun), {
          as: me,
          body: created.map(({ hid }) => ({ id: hid, description: 'written' })),
        }),
      (tx) => execute(tx, `delete from ${noun} where id = :id`, { id: created[1]?.id ?? 0 }),
    )
    expect(status).toBe(404)
    expect(json).toMatchObject({ message: expect.stringContaining(created[1]?.hid ?? '') })
    const { json: remaining } = await ask(`GET /v2/${noun}/${created[0]?.hid}`, { as: me })
    expect(remaining.description).toBeNull()
    expect(await eventsOf(me.id)).toEqual([])
  })

  test(`a bulk privacy change of ${noun} includes one that is created between preparation and transaction`, async () => {
    const me = await testApp.makeSystem()
    await createRows(me, noun, 2)
    await changeMeanwhile(
      me,
      () =>
        ask<JsonObject[]>(`POST /private/bulk_privacy/${noun.slice(0, -1)}`, {
          as: me,
          body: { visibility: 'private' },
        }),
      async (tx) => void (await kinds[noun].insert(tx, me.id, { name: 'Late' })),
    )
    const { json } = await ask<JsonObject[]>(`GET /v2/systems/@me/${noun}`, { as: me })
    expect(json).toHaveLength(3)
    for (const { privacy } of json) expect(privacy).toMatchObject({ visibility: 'private' })
    expect(await eventsOf(me.id)).toHaveLength(3)
  })

  test.each<[string, (me: TestSystem, created: CreatedRow[]) => [string, RequestOptions]]>([
    [
      'named one by one',
      (as, created) => [
        bulk(noun),
        { as, body: created.map(({ hid }) => ({ id: hid, privacy: { visibility: 'private' } })) },
      ],
    ],
    [
      'of an entire system',
      (as) => [
        `POST /private/bulk_privacy/${noun.slice(0, -1)}`,
        { as, body: { visibility: 'private' } },
      ],
    ],
  ])(`a bulk change of ${noun} stores the rendered JSON of rows %s`, async (_, request) => {
    const me = await testApp.makeSystem()
    const created = await createRows(me, noun, 3)
    await ask(...request(me, created))
    const stored = await rows<{ owner_json: string }>(
      deps.db,
      `select owner_json from ${kinds[noun].cacheTable} where id in (select id from ${noun} where system_id = :id)`,
      { id: me.id },
    )
    expect(stored).toHaveLength(3)
    for (const { owner_json } of stored) expect(owner_json).toContain('"visibility":"private"')
  })

  test(`a bulk change of ${noun} is rolled back when a statement fails`, async () => {
    const me = await testApp.makeSystem()
    const created = await createRows(me, noun, 120)
    const before = await rows(deps.db, `select * from ${noun} order by id`)
    const last = created.at(-1)?.id ?? 0
    const { status } = await withFailingTrigger(
      app.storage,
      `update on ${noun}`,
      `old.id = ${last}`,
      () =>
        ask(bulk(noun), { as: me, body: created.map(({ hid }) => ({ id: hid, color: '112233' })) }),
    )
    expect(status).toBe(500)
    expect(await rows(deps.db, `select * from ${noun} order by id`)).toEqual(before)
    expect(await eventsOf(me.id)).toEqual([])
  })

  test(`a bulk change of ${noun} lets another system write before its transaction`, async () => {
    const me = await testApp.makeSystem()
    const other = await testApp.makeSystem()
    const created = await createRows(me, noun, 1000, { description: 'before '.repeat(100) })
    /** Changes both systems at once, and returns which of them was written first. */
    const writeBoth = async (attempt: number) => {
      const description = `${attempt} after `.repeat(100)
      const body = created.map(({ hid }) => ({ id: hid, description }))
      const changing = ask(bulk(noun), { as: me, body })
      const name = `Other ${attempt}`
      const written = await ask('PATCH /v2/systems/@me', { as: other, body: { name } })
      expect([written.status, (await changing).status]).toEqual([200, 200])
      const events = await rows<{ system_id: number }>(
        deps.db,
        `select system_id from events where system_id in (:me, :other)
         order by id desc limit 1001`,
        { me: me.id, other: other.id },
      )
      expect(events.filter(({ system_id }) => system_id === other.id)).toHaveLength(1)
      return events.at(-1)?.system_id
    }
    // A busy database server may delay the other system beyond the preparation of the bulk change.
    const first: unknown[] = []
    while (first.length < 5 && !first.includes(other.id)) first.push(await writeBoth(first.length))
    expect(first).toContain(other.id)
  })
})

describe('a bulk change of many proxy tags', () => {
  const tagsFor = (prefix: string) => ({
    proxy_tags: Array.from({ length: 50 }, (_, tag) => ({
      prefix: `${prefix}${tag}:`,
      suffix: null,
    })),
  })

  /** Returns the indexed prefixes by member, and expects them all in the active tag set. */
  const indexed = async (me: TestSystem) => {
    const found = await rows<{ member_id: number; prefix: string; index_id: number }>(
      deps.db,
      `select member_id, prefix, index_id from proxy_tag_index
       where member_id in (select id from members where system_id = :id)
       order by member_id, position`,
      { id: me.id },
    )
    const [system] = await rows<{ index_id: number }>(
      deps.db,
      'select coalesce(tag_index_id, id) as index_id from systems where id = :id',
      { id: me.id },
    )
    expect(new Set(found.map(({ index_id }) => index_id))).toEqual(new Set([system?.index_id ?? 0]))
    return Map.groupBy(found, ({ member_id }) => member_id)
  }

  const expectIndexed = async (me: TestSystem) => {
    const stored = await rows<{ id: number; proxy_tags: string }>(
      deps.db,
      'select id, proxy_tags from members where system_id = :id',
      { id: me.id },
    )
    const keys = await indexed(me)
    for (const { id, proxy_tags } of stored) {
      const prefixes = (JSON.parse(proxy_tags) as { prefix: string }[]).map(({ prefix }) => prefix)
      expect(keys.get(id)?.map(({ prefix }) => prefix) ?? []).toEqual(prefixes)
    }
  }

  test('a bulk change of many proxy tags lets all systems write, and keeps what they wrote', async () => {
    const me = await testApp.makeSystem()
    const other = await testApp.makeSystem()
    const created = await createRows(me, 'members', 200, tagsFor('old'))
    const [single, ...rest] = created
    const [changed, deleted] = [rest.slice(0, -20), rest.slice(-20)]
    const changing = ask(bulk('members'), {
      as: me,
      body: changed.map(({ hid }) => ({ id: hid, ...tagsFor('new') })),
    })
    let at = 0
    const answered = await countUntilDone(changing, async () => {
      at++
      const tags = { proxy_tags: [{ prefix: `own ${at}:` }] }
      const writes = [
        ask('PATCH /v2/systems/@me', { as: other, body: { name: `Name ${at}` } }),
        ask(`PATCH /v2/members/${single?.hid}`, { as: me, body: tags }),
        ask('POST /v2/members', { as: me, body: { name: `Late ${at}`, ...tags } }),
      ]
      for (const { status } of await Promise.all(writes)) expect(status).toBe(200)
      const row = deleted.pop()
      if (row) await ask(`DELETE /v2/members/${row.hid}`, { as: me })
    })
    expect((await changing).status).toBe(200)
    expect(answered).toBeGreaterThan(2)
    await expectIndexed(me)
    const keys = await indexed(me)
    expect(keys.get(changed[0]?.id ?? 0)?.[0]?.prefix).toBe('new0:')
    expect(keys.get(single?.id ?? 0)?.map(({ prefix }) => prefix)).toEqual([`own ${at}:`])
  })

  test('a bulk change of many proxy tags leaves no rows behind when a statement fails', async () => {
    const change = async () => {
      const me = await testApp.makeSystem()
      const created = await createRows(me, 'members', 60, tagsFor('old'))
      const last = created.at(-1)?.id ?? 0
      const body = created.map(({ hid }) => ({ id: hid, ...tagsFor('new') }))
      const { status } = await withFailingTrigger(
        app.storage,
        'update on members',
        `old.id = ${last}`,
        () => ask(bulk('members'), { as: me, body }),
      )
      return { me, last, status }
    }
    // A busy database server may lose the connection before the statement, which is answered 503.
    const { me, last, status } = await until(change, (changed) => changed.status !== 503)
    expect(status).toBe(500)
    await expectIndexed(me)
    expect((await indexed(me)).get(last)?.[0]?.prefix).toBe('old0:')
    const pending = 'select id from pending_imports where system_id = :id'
    expect(await rows(deps.db, pending, { id: me.id })).toEqual([])
  })

  test('a bulk change of many proxy tags succeeds during an import into the system', async () => {
    const me = await testApp.makeSystem()
    const created = await createRows(me, 'members', 60, tagsFor('old'))
    const file = {
      version: 2,
      members: Array.from({ length: 60 }, (_, at) => ({
        id: `imp${String.fromCharCode(97 + (at % 26))}${String.fromCharCode(97 + Math.floor(at / 26))}`,
        name: `Imported ${at}`,
        ...tagsFor('imported'),
      })),
      switches: [],
    }
    const [imported, changed] = await Promise.all([
      ask('POST /v2/systems/@me/import', { as: me, body: file }),
      ask(bulk('members'), {
        as: me,
        body: created.map(({ hid }) => ({ id: hid, ...tagsFor('new') })),
      }),
    ])
    expect([imported.status, changed.status]).toEqual([200, 200])
    await expectIndexed(me)
    expect((await indexed(me)).get(created[0]?.id ?? 0)?.[0]?.prefix).toBe('new0:')
  })
})

describe('the queue of bulk changes', () => {
  /** Occupies the queue for a system until the returned function is called. */
  const occupy = async ({ id }: TestSystem, signal = new AbortController().signal) => {
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const done = deps.bulkQueue({ systemId: id, signal }, () => {
      begun.resolve()
      return held.promise
    })
    await begun.promise
    return async () => {
      held.resolve()
      await done
    }
  }
  /** Resolves when the next change is in the queue. */
  const nextQueued = () => {
    const { bulkQueue } = deps
    const queued = Promise.withResolvers<void>()
    const observed: typeof bulkQueue = (request, work) => {
      Object.assign(deps, { bulkQueue })
      queued.resolve()
      return bulkQueue(request, work)
    }
    Object.assign(deps, { bulkQueue: observed })
    return queued.promise
  }
  const change = (
    system: TestSystem,
    { hid }: CreatedRow,
    color: string,
    options: RequestOptions = {},
  ) => ask<JsonObject[]>(bulk('members'), { as: system, body: [{ id: hid, color }], ...options })

  test('the bulk queue runs a single change per system, in order of arrival, and refuses the fifth', async () => {
    const me = await testApp.makeSystem()
    const [row] = (await createRows(me, 'members', 1)) as [CreatedRow]
    const release = await occupy(me)
    const answered: string[] = []
    const send = async (color: string) => {
      const { status } = await change(me, row, color)
      answered.push(`${color}: ${status}`)
    }
    const waiting: Promise<void>[] = []
    // The next one is sent when the one before is in the queue: callers are looked up at the same time.
    for (const color of ['000001', '000002', '000003']) {
      const queued = nextQueued()
      waiting.push(send(color))
      await queued
    }
    const refused = await change(me, row, '000004')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(answered).toEqual([])
    await release()
    await Promise.all(waiting)
    expect(answered).toEqual(['000001: 200', '000002: 200', '000003: 200'])
    const { json } = await ask(`GET /v2/members/${row.hid}`, { as: me })
    expect(json.color).toBe('000003')
  })

  test('the bulk queue runs two changes per server and does not delay ordinary changes', async () => {
    const busy = [await testApp.makeSystem(), await testApp.makeSystem()]
    const me = await testApp.makeSystem()
    const [row] = (await createRows(me, 'members', 1)) as [CreatedRow]
    const releases = await Promise.all(busy.map((system) => occupy(system)))
    let isAnswered = false
    const changing = change(me, row, 'aabbcc').then((answer) => {
      isAnswered = true
      return answer
    })
    const ordinary = await ask(`PATCH /v2/members/${row.hid}`, { as: me, body: { pronouns: 'it' } })
    expect([ordinary.status, isAnswered]).toEqual([200, false])
    await releases[0]?.()
    const { status, json } = await changing
    expect([status, json[0]?.color, json[0]?.pronouns]).toEqual([200, 'aabbcc', 'it'])
    await releases[1]?.()
  })

  test('the bulk queue drops a waiting change whose client closed the connection', async () => {
    const me = await testApp.makeSystem()
    const [row] = (await createRows(me, 'members', 1)) as [CreatedRow]
    const address = app.listen()
    const release = await occupy(me)
    const abort = new AbortController()
    const aborted = fetch(`${address}/v2/systems/@me/members`, {
      method: 'PATCH',
      headers: { authorization: me.token },
      body: JSON.stringify([{ id: row.hid, color: '00ff00' }]),
      signal: abort.signal,
    }).catch(() => null)
    await until(() => app.handle.inFlight() > 0)
    const next = change(me, row, '0000ff')
    await until(() => app.handle.inFlight() === 2)
    abort.abort()
    expect(await aborted).toBeNull()
    await until(() => app.handle.inFlight() <= 1)
    await release()
    expect((await next).status).toBe(200)
    expect(await eventsOf(me.id)).toHaveLength(1)
  })
})
