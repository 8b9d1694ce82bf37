import { join } from 'node:path'
import { createApp } from '../../src/app/app'
import { parseConfig } from '../../src/runtime/config/config'
import { createLog } from '../../src/runtime/log'
import { folderWithDatabase } from '../tools/emptyDatabase'
import { test } from '../tools/test'

/** Longer than any test, so that a server that waits for it never stops. */
const stopLimitMs = 2 ** 31 - 1

test('stops without waiting for its limit when no request runs, with idle connections open', async () => {
  const path = join(folderWithDatabase(), 'data/multitude.db')
  const config = parseConfig({ DATABASE_URL: `file:${path}`, HOST: '127.0.0.1', PORT: '0' })
  const log = createLog('error', 'json', () => {})
  const app = createApp(config, { log, stopLimitMs })
  await app.started
  const address = app.listen()
  const answered = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(address).port),
    socket: { data: () => answered.resolve(), close: () => closed.resolve() },
  })
  socket.write('GET /health HTTP/1.1\r\nhost: test\r\n\r\n')
  await answered.promise
  await app.stop()
  await closed.promise
})
