import { operator } from '../../src/model/core/privacy'
import { findBotStatus } from '../../src/service/discord/botStatus'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import { startBotInProcess } from './tools/inProcessBot'

/** Shorter than the pause between two periodic reports of the status. */
const BACKOFF_MS = 20_000
const STEP_MS = 100
const bot = await startBotInProcess(
  {},
  { gateway: { backoff: { firstMs: BACKOFF_MS, maxMs: BACKOFF_MS } } },
)
const { app, clock, users } = bot

test('the stored status follows each change of a connection', async () => {
  const start = clock.monotonic()
  const untilReady = (ready: number) =>
    until(
      async () => {
        await clock.advance(STEP_MS)
        return findBotStatus(app.deps, operator)
      },
      (status) => status?.shards_ready === ready,
    )
  expect(await untilReady(1)).toMatchObject({ shards: 1, disconnected_at: null, problem: null })
  await users.closeConnections({ code: 4000 })
  expect(await untilReady(0)).toMatchObject({ disconnected_at: expect.any(Number) })
  await clock.advance(BACKOFF_MS)
  expect(await untilReady(1)).toMatchObject({ disconnected_at: null })
  expect(clock.monotonic() - start).toBeLessThan(2 * BACKOFF_MS)
})
