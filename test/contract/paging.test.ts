import { formatInstant, HOUR, type Instant } from '../../src/model/core/time'
import { insertMember } from '../../src/service/members/members'
import { insertSwitch } from '../../src/store/front/switchChanges'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'

const COUNT = 400
const START = Date.UTC(2026, 0, 31, 23, 59) * 1000

interface Listed {
  id: string
  timestamp: string
  members: string[]
}

const { ask, deps, makeSystem } = createTestApp()

/** Eight times within each millisecond, some microseconds apart; oldest first. */
const times: Instant[] = Array.from(
  { length: COUNT },
  (_, at) => START + Math.floor(at / 8) * 977_000 + (at % 8) * 100 + (at % 5),
)

const owner = await makeSystem('Lantern Hill')
const written = await logSwitches(owner)

describe('paging through 400 switches with several in each millisecond', () => {
  test('creates test data with eight switches in each millisecond', () => {
    const millis = new Set(times.map((time) => Math.floor(time / 1000)))
    expect(new Set(times).size).toBe(COUNT)
    expect(millis.size).toBe(COUNT / 8)
  })

  test.each([
    ['3', 3, owner],
    ['7', 7, null],
    ['99', 99, owner],
    ['100', 100, owner],
    ['5,000, which means 100', 5000, null],
    ['the default size', null, owner],
  ])('lists every switch once, newest first, in pages of %s', async (_, limit, as) => {
    const size = Math.min(limit ?? 100, 100)
    const { pages, all } = await pageThrough(limit, as)
    expect(pages.length).toBe(Math.ceil(COUNT / size) + 1)
    expect(all).toEqual(written)
  })

  test('lists every switch while newer switches are logged between the pages', async () => {
    const path = '/v2/systems/@me/switches'
    const [wren = '', ash = ''] = written.find(({ members }) => members.length === 2)?.members ?? []
    const logged: string[] = []
    const { all } = await pageThrough(50, owner, async () => {
      const body = { members: logged.length % 2 === 0 ? [wren] : [ash, wren] }
      const created = await ask<Listed>(`POST ${path}`, { as: owner, body })
      expect(created.status).toBe(200)
      logged.push(created.json.id)
    })
    expect(all).toEqual(written)
    expect(logged).toHaveLength(COUNT / 50)
    const deleted = await Promise.all(
      logged.map((id) => ask(`DELETE ${path}/${id}`, { as: owner })),
    )
    expect(deleted.every(({ status }) => status === 204)).toBe(true)
  })

  test('lists exactly the switches before the time of `before`', async () => {
    const [first, second] = written
    const last = written.at(-1)
    const page = async (before = '') =>
      (await ask<Listed[]>(`GET /v2/systems/${owner.hid}/switches?limit=1&before=${before}`)).json
    expect(await page(first?.timestamp)).toEqual([second as Listed])
    expect(await page(formatInstant((times.at(-1) ?? 0) + 1))).toEqual([first as Listed])
    expect(await page(last?.timestamp)).toEqual([])
  })

  test('accepts `before` in another time zone', async () => {
    const inOslo = formatInstant((times[200] ?? 0) + HOUR).replace('Z', '%2B01:00')
    const path = `/v2/systems/${owner.hid}/switches?limit=5&before=${inOslo}`
    const { json } = await ask<Listed[]>(`GET ${path}`)
    expect(json).toEqual(written.slice(200, 205))
  })
})

describe('switches at the first and the last possible instant', async () => {
  const [first, last] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  const as = await makeSystem()
  await deps.transact('new', async (tx) => {
    const wren = await insertMember(tx, as.id, { name: 'Wren' })
    await insertSwitch(deps, tx, as.id, first, [wren])
    await insertSwitch(deps, tx, as.id, last, [])
  })
  const both = [formatInstant(last), formatInstant(first)]

  test.each(['v2/systems/@me/switches', 'v2/systems/@me/switches?limit=9', 'v1/s/@/switches'])(
    'lists switches at the first and last possible instant in %s',
    async (path) => {
      const { json } = await ask<Listed[]>(`GET /${path.replace('@/', `${as.hid}/`)}`, { as })
      expect(json.map(({ timestamp }) => timestamp)).toEqual(both)
    },
  )

  test('exports switches at the first and last possible instant', async () => {
    const { json } = await ask<{ switches: Listed[] }>('GET /v2/systems/@me/export', { as })
    expect(json.switches.map(({ timestamp }) => timestamp)).toEqual(both)
    const { text } = await ask('GET /v2/systems/@me/export/front-history?format=csv', { as })
    expect(text).toContain(`\r\n${both.toReversed().join()},`)
  })
})

/** Reads pages from the newest to the oldest, each before the last time of the page before. */
async function pageThrough(
  limit: number | null,
  as: TestSystem | null,
  between: () => Promise<void> = async () => {},
): Promise<{ pages: Listed[][]; all: Listed[] }> {
  const pages: Listed[][] = []
  let before: string | undefined
  for (let turn = 0; turn <= COUNT; turn++) {
    const query = new URLSearchParams({
      ...(limit !== null && { limit: String(limit) }),
      ...(before !== undefined && { before }),
    })
    const path = `/v2/systems/${owner.uuid}/switches?${query}`
    const { status, json } = await ask<Listed[]>(`GET ${path}`, { as })
    expect(status).toBe(200)
    pages.push(json)
    before = json.at(-1)?.timestamp
    if (before === undefined) return { pages, all: pages.flat() }
    await between()
  }
  throw new Error('paging did not end')
}

/** Logs the switches in a shuffled order, and returns them in the order of the list. */
async function logSwitches({ id }: TestSystem): Promise<Listed[]> {
  return deps.transact('new', async (tx) => {
    const wren = await insertMember(tx, id, { name: 'Wren' })
    const ash = await insertMember(tx, id, { name: 'Ash' })
    const listed: Listed[] = Array(COUNT)
    // 7 and 400 have no common divisor, so every time occurs once.
    for (let turn = 0; turn < COUNT; turn++) {
      const at = (turn * 7) % COUNT
      const time = times[at] ?? 0
      const front = turn % 3 === 0 ? [] : turn % 3 === 1 ? [wren, ash] : [ash]
      const { uuid } = await insertSwitch(deps, tx, id, time, front)
      const members = front.map(({ hid }) => hid)
      listed[COUNT - 1 - at] = { id: uuid, timestamp: formatInstant(time), members }
    }
    return listed
  })
}
