import type { JsonObject } from '../../src/model/core/entity'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { until } from '../tools/until'
import { type Reading, readStream } from './readStream'

const at = createTestApp({ HOST: '127.0.0.1', PORT: '0' })
const { ask, makeSystem } = at
const address = at.app.listen()

/** Callers that are not the owner. */
const otherCallers = ['another system', 'an anonymous caller'] as const
const viewers = ['the owner', ...otherCallers] as const
type Caller = (typeof viewers)[number]

describe.each(viewers)('the fronter stream for %s', (caller) => {
  test(`sends the fronters at once to ${caller}, and null before the first switch`, async () => {
    const { as, wren, open } = await stage(caller)
    const early = await open()
    expect(early.messages).toMatchObject([{ event: 'fronters', data: null }])
    await front(as, [wren])
    await until(() => early.messages.length === 2)
    const late = await open()
    expect(late.messages).toMatchObject([{ data: early.messages[1]?.data }])
    await Promise.all([early.leave(), late.leave()])
  })

  test(`sends redacted fronters to ${caller} at each change`, async () => {
    const { as, wren, finch, viewer, open } = await stage(caller)
    const hidden = { name_privacy: 'private', metadata_privacy: 'private' }
    const secret = { name: 'the secret', display_name: 'Wren', privacy: hidden }
    await ask(`PATCH /v2/members/${wren}`, { as, body: secret })
    const reading = await open()
    const shown: unknown[] = [null]
    const expectSent = async () => {
      const { json } = await ask(`GET /v2/systems/${as.hid}/fronters`, { as: viewer })
      shown.push(json)
      await until(() => reading.messages.length === shown.length)
    }
    const first = await front(as, [wren])
    await expectSent()
    await front(as, [finch, wren])
    await expectSent()
    const second = await front(as, [])
    await expectSent()
    await ask(`PATCH /v2/systems/@me/switches/${second}/members`, { as, body: [wren] })
    await expectSent()
    await ask(`PATCH /v2/members/${wren}`, { as, body: { pronouns: 'she/her' } })
    await expectSent()
    await ask(`DELETE /v2/systems/@me/switches/${second}`, { as })
    await expectSent()
    await ask(`DELETE /v2/members/${finch}`, { as })
    await expectSent()
    expect(reading.messages.map(({ data }) => data)).toEqual(shown)
    expect(JSON.stringify(shown).includes('the secret')).toBe(caller === 'the owner')
    const ids = reading.messages.map(({ id }) => Number(id))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(first).not.toBe(second)
    await reading.leave()
  })

  test(`sends nothing to ${caller} when something else changes`, async () => {
    const { as, wren, finch, open } = await stage(caller)
    await front(as, [wren])
    const reading = await open()
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

describe.each(otherCallers)('privacy of the fronter stream for %s', (caller) => {
  test(`ends the stream of ${caller} when the front becomes private, and rejects a new one`, async () => {
    const { as, wren, viewer, open } = await stage(caller)
    const [reading, ownersStream] = [await open(), await follow(as, as)]
    await ask('PATCH /v2/systems/@me', { as, body: { privacy: { front_privacy: 'private' } } })
    expect(await reading.ended).toBe('ended')
    await front(as, [wren])
    await until(() => ownersStream.messages.length === 2)
    expect(reading.messages).toMatchObject([{ data: null }])
    const again = await ask(`GET /v2/systems/${as.hid}/fronters/stream`, { as: viewer })
    expect(again).toMatchObject({ status: 403, json: { code: 30004 } })
    await ownersStream.leave()
  })

  test(`omits newly private values of a fronter in the next message to ${caller}`, async () => {
    const { as, wren, open } = await stage(caller)
    await ask(`PATCH /v2/members/${wren}`, { as, body: { birthday: '1990-01-02' } })
    await front(as, [wren])
    const reading = await open()
    const body = { privacy: { birthday_privacy: 'private' } }
    await ask(`PATCH /v2/members/${wren}`, { as, body })
    await until(() => reading.messages.length === 2)
    const [before, after] = reading.messages.map(({ data }) => JSON.stringify(data))
    expect(before).toContain('1990-01-02')
    expect(after).not.toContain('1990-01-02')
    await reading.leave()
  })
})

test('rejects the fronter stream of an unknown system', async () => {
  const { json } = await ask('GET /v2/systems/zzzzzz/fronters/stream')
  expect(json).toMatchObject({ code: 20001 })
  expect((await ask('GET /v2/systems/@me/fronters/stream')).status).toBe(401)
})

test('sends each change to a hundred clients of one fronter stream', async () => {
  const { as, wren, finch } = await stage('an anonymous caller')
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

/** Creates a system with two members, and a caller. */
async function stage(caller: Caller) {
  const as = await makeSystem('Lantern Hill')
  const [wren, finch] = [await member(as, 'Wren'), await member(as, 'Finch')]
  const viewer =
    caller === 'the owner' ? as : caller === 'an anonymous caller' ? null : await makeSystem()
  return { as, wren, finch, viewer, open: () => follow(as, viewer) }
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
