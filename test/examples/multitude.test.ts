import { afterAll, describe, expect, test } from 'bun:test'
import { connectMultitude } from '../../examples/multitude'
import { messages } from '../../src/db/tables'
import { createBot } from '../operatorActions'
import { createTestApp } from '../testApp'

const { app, deps } = createTestApp({ PORT: '0' })
const address = app.listen()
const key = await createBot(deps, 'irc', 'irc')

/** What a bot meets when the answers to its first requests are lost on the way. */
function connectBadly(lost: number) {
  let requests = 0
  const proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const answer = await fetch(address + new URL(request.url).pathname, request)
      return ++requests > lost
        ? answer
        : new Response('{"code":0,"message":"Gone"}', { status: 502 })
    },
  })
  afterAll(() => proxy.stop(true))
  return { ...connectMultitude(proxy.url.href, key, 'irc'), requests: () => requests }
}

describe('a record', () => {
  test('is repeated until it is answered, and counts once', async () => {
    const good = connectMultitude(address, key, 'irc')
    const { system } = await good.ask<{ system: { id: string } }>('POST /bot/systems', {
      account_id: 'net/robin',
    })
    const wren = await good.ask<{ uuid: string }>('POST /v2/members', { name: 'Wren' }, system.id)
    const bad = connectBadly(2)
    const said = { id: 'net/1', original: 'net/0', sender: 'net/robin', channel: 'net/#a' }
    await bad.record({ ...said, member: wren.uuid })
    expect(bad.requests()).toBe(3)
    expect(await deps.db.select().from(messages).all()).toHaveLength(1)
    const [counted] = await good.findMembers(system.id, ['wren'])
    expect(counted).toHaveProperty('message_count', 1)
  })

  test('that is refused is not repeated', async () => {
    const bot = connectBadly(0)
    await expect(bot.record({ id: 'net/2' })).rejects.toThrow('original')
    expect(bot.requests()).toBe(1)
  })

  test('is given up when nobody answers', async () => {
    const bot = connectMultitude('http://127.0.0.1:9', key, 'irc')
    await expect(bot.record({})).rejects.toThrow('No server answers')
  })
})
