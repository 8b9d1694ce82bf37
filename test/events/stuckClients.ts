import { connect } from 'node:net'
import type { Deps } from '../../src/service/core/deps'
import { recordEvent } from '../../src/store/events/recordEvent'

/** Opens a stream, waits for its first bytes, and stops reading. */
export async function openAndStop(url: string, { token }: { token: string }) {
  const { port, pathname } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\nauthorization: ${token}\r\n\r\n`)
  await new Promise((done) => socket.once('data', done))
  socket.pause()
  return socket
}

/** Records many events of some size, faster than requests could. */
export async function recordMany(
  deps: Deps,
  as: { id: number },
  many: number,
  size: number,
): Promise<void> {
  const change = { system_id: as.id, type: 'UPDATE_SYSTEM', subject: null } as const
  await deps.transact('new', async (tx) => {
    for (let n = 0; n < many; n++)
      await recordEvent(tx, deps.now(), { ...change, data: { description: 'x'.repeat(size) } })
  })
}
