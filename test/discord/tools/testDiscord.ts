import { formatUserAgent } from '../../../src/discord/bot/userAgent'
import { createRestClient, type RestParts } from '../../../src/discord/rest/restClient'
import { afterEach, expect } from '../../tools/test'
import { createTestClock, type TestClock } from '../../tools/testClock'
import type { Allowance } from '../standIn/controlRead'
import type { StandInOptions } from '../standIn/options'
import { findSecrets } from '../standIn/secretSearch'
import { type DiscordStandIn, startDiscord } from '../standIn/startDiscord'
import { createTestLog, type TestLog } from './testLog'

const HOUR_MS = 3_600_000
/** Exceeds the time limits of a gateway client that stops. */
const STOP_MS = 5000

export const userAgent = formatUserAgent('https://plural.example', null)

/** No pauses: the clock stands still unless a test advances it. */
export const gatewayTiming = {
  backoff: { firstMs: 0, maxMs: 0 },
  identifyMs: 0,
  invalidSession: { minMs: 0, maxMs: 0 },
}

/** A stand-in for Discord, a guild in it, and a log. Stopped and checked after the test. */
export interface TestDiscord {
  readonly discord: DiscordStandIn
  /** Clock of the stand-in and of its clients. */
  readonly clock: TestClock
  readonly guild: Awaited<ReturnType<DiscordStandIn['users']['createGuild']>>
  readonly log: TestLog
  /** Creates a client of the REST API with short pauses, stopped after the test. */
  createRest(parts?: Partial<RestParts>): ReturnType<typeof createRestClient>
  /** Allows breaches that the test provokes. */
  allow(allowance: Allowance): void
  /** Runs after the test, before the stand-in is stopped. */
  cleanUp(work: () => void | Promise<void>): void
}

/** Returns a function that starts a stand-in for one test; the file's tests are checked for breaches. */
export function useDiscord(): (options?: Partial<StandInOptions>) => Promise<TestDiscord> {
  const started: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const finish of started.splice(0)) await finish()
  })
  return async (options = {}) => {
    const clock = createTestClock(Date.now())
    const discord = await startDiscord(
      { identifyWindowMs: 0, heartbeatMs: HOUR_MS, ...options },
      clock,
    )
    const log = createTestLog()
    let allowance: Allowance = {}
    const cleanUps: (() => void | Promise<void>)[] = []
    started.push(async () => {
      for (const work of cleanUps.toReversed())
        await clock.runUntil(Promise.resolve(work()), STOP_MS)
      const problems = await discord.users.problems(allowance)
      const secrets = await discord.users.secrets()
      await discord.stop()
      expect(problems).toEqual([])
      expect(findSecrets({ log: log.text() }, secrets)).toEqual([])
    })
    return {
      discord,
      clock,
      guild: await discord.users.createGuild({ channels: ['general', 'other'] }),
      log,
      createRest(parts = {}) {
        const { timing, ...rest } = parts
        const client = createRestClient({
          clock,
          api: discord.api,
          token: discord.token,
          userAgent: () => userAgent,
          log,
          ...rest,
          timing: { timeoutMs: HOUR_MS, backoff: { firstMs: 0, maxMs: 0 }, ...timing },
        })
        cleanUps.push(client.stop)
        return client
      },
      allow(changes) {
        allowance = changes
      },
      cleanUp: (work) => void cleanUps.push(work),
    }
  }
}
