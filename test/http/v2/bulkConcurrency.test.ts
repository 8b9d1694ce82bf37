import { describe, expect, test } from 'bun:test'
import type { Db } from '../../../src/db/types'
import type { JsonObject } from '../../../src/model/entity'
import { insertGroup } from '../../../src/service/groups'
import { insertMember } from '../../../src/service/members'
import { change, rows, whileStopped } from '../../rawSql'
import { createTestApp, type RequestOptions, type TestSystem } from '../../testApp'

const house = createTestApp({ RATE_LIMIT: 'off' })
const { ask, deps, app } = house

const kinds = {
  members: { insert: insertMember, faces: 'member_faces' },
  groups: { insert: insertGroup, faces: 'group_faces' },
} as const

type Noun = keyof typeof kinds

interface Made {
  id: number
  hid: string
}

/** Creates many rows of a system at once. */
function make(someone: TestSystem, noun: Noun, count: number, more: object = {}): Promise<Made[]> {
  return deps.transact('new', async (tx) => {
    const made: Made[] = []
    for (let at = 0; at < count; at++)
      made.push(await kinds[noun].insert(tx, someone.id, { name: `Number ${at}`, ...more }))
    return made
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

/** Makes the change in a transaction that commits only after the request waits for its own. */
async function changeMeanwhile(
  { id }: TestSystem,
  request: () => ReturnType<typeof ask<JsonObject[]>>,
  work: (tx: Db) => Promise<void>,
) {
  const { writeStats } = app.storage
  const answer = Promise.withResolvers<Awaited<ReturnType<typeof request>>>()
  await deps.transact({ system: id }, async (tx) => {
    const before = writeStats.waiting
    request().then(answer.resolve, answer.reject)
    while (writeStats.waiting === before) await Bun.sleep(1)
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
  test('keeps what another request changes between preparation and transaction', async () => {
    const me = await house.makeSystem()
    const made = await make(me, noun, 3)
    const [first, second, third] = made
    const { status, json } = await changeMeanwhile(
      me,
      () =>
        ask<JsonObject[]>(bulk(noun), {
          as: me,
          body: made.map(({ hid }) => ({ id: hid, color: 'aabbcc' })),
        }),
      (tx) =>
        change(
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
    const { json: kept } = await ask<JsonObject[]>(`GET /v2/systems/@me/${noun}`, { as: me })
    expect(kept).toEqual(json)
    const { json: seen } = await ask<JsonObject[]>(`GET /v2/systems/${me.hid}/${noun}`)
    expect(seen.map(({ id }) => id)).toEqual([first?.hid])
    // The third had the colour before this request wrote it.
    expect(await eventsOf(me.id)).toHaveLength(2)
  })

  test('changes nothing when one is deleted between preparation and transaction', async () => {
    const me = await house.makeSystem()
    const made = await make(me, noun, 2)
    const { status, json } = await changeMeanwhile(
      me,
      () =>
        ask<JsonObject[]>(bulk(noun), {
          as: me,
          body: made.map(({ hid }) => ({ id: hid, description: 'written' })),
        }),
      (tx) => change(tx, `delete from ${noun} where id = :id`, { id: made[1]?.id ?? 0 }),
    )
    expect(status).toBe(404)
    expect(json).toMatchObject({ message: expect.stringContaining(made[1]?.hid ?? '') })
    const { json: left } = await ask(`GET /v2/${noun}/${made[0]?.hid}`, { as: me })
    expect(left.description).toBeNull()
    expect(await eventsOf(me.id)).toEqual([])
  })

  test('of privacy includes one that is created between preparation and transaction', async () => {
    const me = await house.makeSystem()
    await make(me, noun, 2)
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

  test.each<[string, (me: TestSystem, made: Made[]) => [string, RequestOptions]]>([
    [
      'named one by one',
      (as, made) => [
        bulk(noun),
        { as, body: made.map(({ hid }) => ({ id: hid, privacy: { visibility: 'private' } })) },
      ],
    ],
    [
      'of a whole system',
      (as) => [
        `POST /private/bulk_privacy/${noun.slice(0, -1)}`,
        { as, body: { visibility: 'private' } },
      ],
    ],
  ])('stores the rendered JSON of rows %s', async (_, request) => {
    const me = await house.makeSystem()
    const made = await make(me, noun, 3)
    await ask(...request(me, made))
    const stored = await rows<{ own: string }>(
      deps.db,
      `select own from ${kinds[noun].faces} where id in (select id from ${noun} where system_id = :id)`,
      { id: me.id },
    )
    expect(stored).toHaveLength(3)
    for (const { own } of stored) expect(own).toContain('"visibility":"private"')
  })

  test('undoes everything when a statement fails', async () => {
    const me = await house.makeSystem()
    const made = await make(me, noun, 120)
    const before = await rows(deps.db, `select * from ${noun} order by id`)
    const last = made.at(-1)?.id ?? 0
    const { status } = await whileStopped(
      app.storage,
      `update on ${noun}`,
      `old.id = ${last}`,
      () =>
        ask(bulk(noun), { as: me, body: made.map(({ hid }) => ({ id: hid, color: '112233' })) }),
    )
    expect(status).toBe(500)
    expect(await rows(deps.db, `select * from ${noun} order by id`)).toEqual(before)
    expect(await eventsOf(me.id)).toEqual([])
  })

  test('lets another system write before its transaction', async () => {
    const me = await house.makeSystem()
    const other = await house.makeSystem()
    const made = await make(me, noun, 1000, { description: 'before '.repeat(100) })
    const body = made.map(({ hid }) => ({ id: hid, description: 'after '.repeat(100) }))
    const changing = ask(bulk(noun), { as: me, body })
    const written = await ask('PATCH /v2/systems/@me', { as: other, body: { name: 'Other' } })
    expect([written.status, (await changing).status]).toEqual([200, 200])
    const events = await rows<{ system_id: number }>(
      deps.db,
      'select system_id from events where system_id in (:me, :other) order by id',
      { me: me.id, other: other.id },
    )
    expect(events).toHaveLength(1001)
    expect(events[0]?.system_id).toBe(other.id)
  })
})

describe('a bulk change of many proxy tags', () => {
  const tagsFor = (lead: string) => ({
    proxy_tags: Array.from({ length: 50 }, (_, tag) => ({
      prefix: `${lead}${tag}:`,
      suffix: null,
    })),
  })

  /** Prefixes that messages are matched with, by member, of the set that is in force. */
  const indexed = async (me: TestSystem) => {
    const found = await rows<{ member_id: number; prefix: string; set_id: number }>(
      deps.db,
      `select member_id, prefix, set_id from proxy_tag_keys
       where member_id in (select id from members where system_id = :id)
       order by member_id, position`,
      { id: me.id },
    )
    const [system] = await rows<{ set_id: number }>(
      deps.db,
      'select coalesce(tag_set, id) as set_id from systems where id = :id',
      { id: me.id },
    )
    expect(new Set(found.map(({ set_id }) => set_id))).toEqual(new Set([system?.set_id ?? 0]))
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

  test('lets other systems and its own write, and keeps what they wrote', async () => {
    const me = await house.makeSystem()
    const other = await house.makeSystem()
    const made = await make(me, 'members', 200, tagsFor('old'))
    const [bystander, ...others] = made
    const [changed, deleted] = [others.slice(0, -20), others.slice(-20)]
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
        ask(`PATCH /v2/members/${bystander?.hid}`, { as: me, body: tags }),
        ask('POST /v2/members', { as: me, body: { name: `Late ${at}`, ...tags } }),
      ]
      for (const { status } of await Promise.all(writes)) expect(status).toBe(200)
      const gone = deleted.pop()
      if (gone) await ask(`DELETE /v2/members/${gone.hid}`, { as: me })
    })
    expect((await changing).status).toBe(200)
    expect(answered).toBeGreaterThan(2)
    await expectIndexed(me)
    const keys = await indexed(me)
    expect(keys.get(changed[0]?.id ?? 0)?.[0]?.prefix).toBe('new0:')
    expect(keys.get(bystander?.id ?? 0)?.map(({ prefix }) => prefix)).toEqual([`own ${at}:`])
  })

  test('leaves nothing behind when a statement fails', async () => {
    const me = await house.makeSystem()
    const made = await make(me, 'members', 60, tagsFor('old'))
    const last = made.at(-1)?.id ?? 0
    const { status } = await whileStopped(
      app.storage,
      'update on members',
      `old.id = ${last}`,
      () =>
        ask(bulk('members'), {
          as: me,
          body: made.map(({ hid }) => ({ id: hid, ...tagsFor('new') })),
        }),
    )
    expect(status).toBe(500)
    await expectIndexed(me)
    expect((await indexed(me)).get(last)?.[0]?.prefix).toBe('old0:')
    expect(await rows(deps.db, 'select id from imports')).toEqual([])
  })

  test('is possible while a file is being imported into the system', async () => {
    const me = await house.makeSystem()
    const made = await make(me, 'members', 60, tagsFor('old'))
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
        body: made.map(({ hid }) => ({ id: hid, ...tagsFor('new') })),
      }),
    ])
    expect([imported.status, changed.status]).toEqual([200, 200])
    await expectIndexed(me)
    expect((await indexed(me)).get(made[0]?.id ?? 0)?.[0]?.prefix).toBe('new0:')
  })
})

describe('the queue of bulk changes', () => {
  /** Occupies the turn of a system until it is released. */
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
  const change = (someone: TestSystem, { hid }: Made, color: string, asking: RequestOptions = {}) =>
    ask<JsonObject[]>(bulk('members'), { as: someone, body: [{ id: hid, color }], ...asking })

  test('runs one per system, in the order of arrival, and refuses the fifth', async () => {
    const me = await house.makeSystem()
    const [one] = (await make(me, 'members', 1)) as [Made]
    const release = await occupy(me)
    const answered: string[] = []
    const waiting = ['000001', '000002', '000003'].map(async (color) => {
      const { status } = await change(me, one, color)
      answered.push(`${color}: ${status}`)
    })
    const refused = await change(me, one, '000004')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(answered).toEqual([])
    await release()
    await Promise.all(waiting)
    expect(answered).toEqual(['000001: 200', '000002: 200', '000003: 200'])
    const { json } = await ask(`GET /v2/members/${one.hid}`, { as: me })
    expect(json.color).toBe('000003')
  })

  test('runs two per server; other systems wait without delaying single changes', async () => {
    const busy = [await house.makeSystem(), await house.makeSystem()]
    const me = await house.makeSystem()
    const [one] = (await make(me, 'members', 1)) as [Made]
    const releases = await Promise.all(busy.map((someone) => occupy(someone)))
    let isAnswered = false
    const changing = change(me, one, 'aabbcc').then((answer) => {
      isAnswered = true
      return answer
    })
    const single = await ask(`PATCH /v2/members/${one.hid}`, { as: me, body: { pronouns: 'it' } })
    expect([single.status, isAnswered]).toEqual([200, false])
    await releases[0]?.()
    const { status, json } = await changing
    expect([status, json[0]?.color, json[0]?.pronouns]).toEqual([200, 'aabbcc', 'it'])
    await releases[1]?.()
  })

  test('drops a change whose client closed the connection before its turn', async () => {
    const me = await house.makeSystem()
    const [one] = (await make(me, 'members', 1)) as [Made]
    const address = app.listen()
    const release = await occupy(me)
    const leaving = new AbortController()
    const left = fetch(`${address}/v2/systems/@me/members`, {
      method: 'PATCH',
      headers: { authorization: me.token },
      body: JSON.stringify([{ id: one.hid, color: '00ff00' }]),
      signal: leaving.signal,
    }).catch(() => null)
    while (app.handle.inFlight() === 0) await Bun.sleep(1)
    const next = change(me, one, '0000ff')
    leaving.abort()
    expect(await left).toBeNull()
    while (app.handle.inFlight() > 1) await Bun.sleep(1)
    await release()
    expect((await next).status).toBe(200)
    expect(await eventsOf(me.id)).toHaveLength(1)
  })
})
