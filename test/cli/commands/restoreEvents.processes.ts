import { readStream } from '../../events/readStream'
import { receivers, TOKEN } from '../../events/receiver'
import { runJson } from '../../tools/runInProcess'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'

const { startServer } = commandLine()
const SKIPPED = 1_000_000

describe('a client that resumes after a restore', () => {
  const receive = receivers()

  test('a stream that resumes after a restore gets a gap and then every new event, as does the webhook', async () => {
    const cwd = emptyFolder()
    const here = { cwd, env: { DISPATCH_ALLOW: '127.0.0.1' } }
    const { token } = await runJson<{ token: string }>(['system', 'create'], here)
    const receiver = receive()
    let server = await startServer([], here)
    const ask = async (line: string, body: unknown) => {
      const [method = '', path] = line.split(' ')
      const headers = { authorization: token }
      const init = { method, headers, body: JSON.stringify(body) }
      const { status } = await fetch(`${server.address}/v2/systems/@me${path}`, init)
      expect([line, status]).toEqual([line, 200])
    }
    const follow = (since?: number) =>
      readStream(`${server.address}/v2/systems/@me/events`, {
        token,
        ...(since !== undefined && { since }),
      })
    await ask('PUT /webhook', { url: receiver.url, token: TOKEN })
    await ask('POST /webhook/verify', {})
    const first = await follow()
    await ask('PATCH ', { name: 'one' })
    await until(() => first.messages.length === 1 && receiver.events.length === 1)
    await runJson(['backup', 'then.db'], here)
    await ask('PATCH ', { name: 'two' })
    await ask('PATCH ', { name: 'three' })
    await until(() => first.messages.length === 3 && receiver.events.length === 3)
    server.kill('SIGTERM')
    await server.end()
    await runJson(['restore', 'then.db', '--yes'], here)

    server = await startServer([], here)
    const [one, , three] = first.messages.map(({ id }) => Number(id)) as [number, number, number]
    const start = three + SKIPPED
    // One client resumes before the next event, two after it.
    const early = await follow(three)
    await until(() => early.messages.length === 1)
    await ask('PATCH ', { name: 'four' })
    for (const { messages, leave } of [early, await follow(three), await follow(one)]) {
      await until(() => messages.length === 2)
      expect(messages).toMatchObject([
        { event: 'gap', id: String(start), data: { before: start + 1 } },
        { event: 'UPDATE_SYSTEM', id: String(start + 1), data: { data: { name: 'four' } } },
      ])
      await leave()
    }
    const delivered = () => receiver.events.map(({ headers }) => headers.get('x-event-id'))
    await until(() => delivered().includes(String(start + 1)))
    expect(delivered().slice(0, 3)).toEqual(first.messages.map(({ id }) => id))
    // Only events that were not delivered before the backup may be repeated.
    expect(new Set(delivered())).toEqual(
      new Set([...first.messages.map(({ id }) => id), String(start + 1)]),
    )
    server.kill('SIGTERM')
    await server.end()
  })
})
