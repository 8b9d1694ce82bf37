import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/model/entity'
import { createTestApp, type TestSystem } from '../testApp'
import { type Reading, readStream } from './readStream'
import { until } from './receiver'

const at = createTestApp({ HOST: '127.0.0.1', PORT: '0' })
const { ask, makeSystem } = at
const address = at.app.listen()

/** Whoever is not the owner. */
const strangers = ['another system', 'nobody'] as const
const viewers = ['the owner', ...strangers] as const
type Viewing = (typeof viewers)[number]

describe.each(viewers)('who fronts, as %s sees it,', (viewing) => {
  test('is told at once, and null before the first switch', async () => {
    const { as, wren, see } = await stage(viewing)
    const early = await see()
    expect(early.messages).toMatchObject([{ event: 'fronters', data: null }])
    await front(as, [wren])
    await until(() => early.messages.length === 2)
    const late = await see()
    expect(late.messages).toMatchObject([{ data: early.messages[1]?.data }])
    await Promise.all([early.leave(), late.leave()])
  })

  test('is told at each change, as the fronters are shown to this viewer', async () => {
    const { as, wren, finch, viewer, see } = await stage(viewing)
    const hidden = { name_privacy: 'private', metadata_privacy: 'private' }
    const secret = { name: 'the secret', display_name: 'Wren', privacy: hidden }
    await ask(`PATCH /v2/members/${wren}`, { as, body: secret })
    const reading = await see()
    const shown: unknown[] = [null]
    const expectTold = async () => {
      const { json } = await ask(`GET /v2/systems/${as.hid}/fronters`, { as: viewer })
      shown.push(json)
      await until(() => reading.messages.length === shown.length)
    }
    const first = await front(as, [wren])
    await expectTold()
    await front(as, [finch, wren])
    await expectTold()
    const second = await front(as, [])
    await expectTold()
    await ask(`PATCH /v2/systems/@me/switches/${second}/members`, { as, body: [wren] })
    await expectTold()
    await ask(`PATCH /v2/members/${wren}`, { as, body: { pronouns: 'she/her' } })
    await expectTold()
    await ask(`DELETE /v2/systems/@me/switches/${second}`, { as })
    await expectTold()
    await ask(`DELETE /v2/members/${finch}`, { as })
    await expectTold()
    expect(reading.messages.map(({ data }) => data)).toEqual(shown)
    expect(JSON.stringify(shown).includes('the secret')).toBe(viewing === 'the owner')
    const ids = reading.messages.map(({ id }) => Number(id))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(first).not.toBe(second)
    await reading.leave()
  })

  test('is not told again when something else changes', async () => {
    const { as, wren, finch, see } = await stage(viewing)
    await front(as, [wren])
    const reading = await see()
    await ask(`PATCH /v2/members/${finch}`, { as, body: { name: 'Goldfinch' } })
    await ask('PATCH /v2/systems/@me', { as, body: { name: 'Lantern Vale' } })
    await ask('POST /v2/groups', { as, body: { name: 'Flock' } })
    await front(as, [finch], '2020-01-01T00:00:00Z')
    await front(as, [finch])
    await until(() => reading.messages.length >= 2)
    expect(reading.messages.map(({ data }) => membersOf(data))).toEqual([['Wren'], ['Goldfinch']])
    await reading.leave()
  })
})

describe.each(strangers)('for %s', (viewing) => {
  test('the stream ends when the front turns private, and cannot be opened again', async () => {
    const { as, wren, viewer, see } = await stage(viewing)
    const [reading, own] = [await see(), await follow(as, as)]
    await ask('PATCH /v2/systems/@me', { as, body: { privacy: { front_privacy: 'private' } } })
    expect(await reading.ended).toBe('ended')
    await front(as, [wren])
    await until(() => own.messages.length === 2)
    expect(reading.messages).toMatchObject([{ data: null }])
    const again = await ask(`GET /v2/systems/${as.hid}/fronters/stream`, { as: viewer })
    expect(again).toMatchObject({ status: 403, json: { code: 30004 } })
    await own.leave()
  })

  test('what a fronting member hides is gone with the next word', async () => {
    const { as, wren, see } = await stage(viewing)
    await ask(`PATCH /v2/members/${wren}`, { as, body: { birthday: '1990-01-02' } })
    await front(as, [wren])
    const reading = await see()
    const body = { privacy: { birthday_privacy: 'private' } }
    await ask(`PATCH /v2/members/${wren}`, { as, body })
    await until(() => reading.messages.length === 2)
    const [before, after] = reading.messages.map(({ data }) => JSON.stringify(data))
    expect(before).toContain('1990-01-02')
    expect(after).not.toContain('1990-01-02')
    await reading.leave()
  })
})

test('the stream of a system that does not exist is not found', async () => {
  const { json } = await ask('GET /v2/systems/zzzzzz/fronters/stream')
  expect(json).toMatchObject({ code: 20001 })
  expect((await ask('GET /v2/systems/@me/fronters/stream')).status).toBe(401)
})

test('a hundred readers of one system all hear each change', async () => {
  const { as, wren, finch } = await stage('nobody')
  const readings = await Promise.all(Array.from({ length: 100 }, () => follow(as, null)))
  for (const members of [[wren], [finch], []]) {
    const before = readings[0]?.messages.length ?? 0
    await front(as, members)
    await until(() => readings.every(({ messages }) => messages.length === before + 1))
  }
  for (const { messages } of readings)
    expect(messages.map(({ data }) => membersOf(data))).toEqual([null, ['Wren'], ['Finch'], []])
  await Promise.all(readings.map((reading) => reading.leave()))
})

/** A system with two members, and somebody who looks at it. */
async function stage(viewing: Viewing) {
  const as = await makeSystem('Lantern Hill')
  const [wren, finch] = [await member(as, 'Wren'), await member(as, 'Finch')]
  const viewer = viewing === 'the owner' ? as : viewing === 'nobody' ? null : await makeSystem()
  return { as, wren, finch, viewer, see: () => follow(as, viewer) }
}

async function follow(of: TestSystem, viewer: TestSystem | null): Promise<Reading> {
  const url = `${address}/v2/systems/${of.hid}/fronters/stream`
  const reading = await readStream(url, viewer ? { token: viewer.token } : {})
  await until(() => reading.messages.length > 0)
  return reading
}

async function member(as: TestSystem, name: string): Promise<string> {
  return String((await ask('POST /v2/members', { as, body: { name } })).json.id)
}

async function front(as: TestSystem, members: string[], timestamp?: string): Promise<string> {
  const body = { members, ...(timestamp && { timestamp }) }
  return String((await ask('POST /v2/systems/@me/switches', { as, body })).json.id)
}

function membersOf(data: unknown): unknown[] | null {
  const { members } = (data ?? {}) as { members?: JsonObject[] }
  return members?.map(({ name }) => name) ?? null
}
