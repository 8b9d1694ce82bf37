import { afterAll, expect } from '../../tools/test'
import type { StandInOptions } from '../standIn/options'
import { type DiscordStandIn, startDiscord } from '../standIn/startDiscord'
import { type Json, type RestOptions, rest } from './rawClient'

/**
 * Starts a stand-in without rate limits and with a stopped clock, with a guild, a member and a channel, for tests that send
 * single requests. After the tests it must have recorded no problem.
 */
export async function startRestWorld(options: Partial<StandInOptions> = {}) {
  const discord = await startDiscord({ rateLimits: 'off', ...options })
  const { users } = discord
  await users.stopClock()
  const { id: userId } = await users.createUser({ username: 'alice' })
  const guild = await users.createGuild({ memberIds: [userId] })
  const { channelId } = guild

  afterAll(async () => {
    const problems = await users.problems({ statuses: { 401: 99, 403: 99 } })
    await discord.stop()
    expect(problems).toEqual([])
  })

  /** Sends a request; `{channel}` is replaced by the channel's ID. */
  const ask = (line: string, requestOptions: RestOptions = {}) =>
    rest(discord, line.replaceAll('{channel}', channelId), requestOptions)

  const newWebhook = async (channel = channelId) => {
    const { body } = await ask(`POST /channels/${channel}/webhooks`, {
      body: { name: 'Multitude' },
    })
    return { id: String(body.id), path: `/webhooks/${body.id}/${body.token}` }
  }
  let webhook: Promise<{ path: string }> | null = null

  return {
    discord,
    users,
    userId,
    guild,
    channelId,
    ask,
    newWebhook,
    /** Path of one webhook in the channel of the world. */
    async webhookPath() {
      webhook ??= newWebhook()
      return (await webhook).path
    },
    async say(content: string, channel = channelId) {
      return (await users.sendMessage({ userId, channelId: channel, content })).id
    },
    /** A channel of its own, so that counts start at zero. */
    async newChannel(fields: { type?: number } = {}) {
      return (await users.createChannel({ guildId: guild.id, ...fields })).id
    },
  }
}

/** Stops stand-ins after a test, and fails if one sent what Discord would not send. */
export async function stopAll(running: DiscordStandIn[]): Promise<void> {
  for (const discord of running.splice(0)) {
    const problems = await discord.users.problems()
    await discord.stop()
    expect(problems.filter((problem) => /stand-in (sent|failed)/.test(problem))).toEqual([])
  }
}

/** First error in the tree of an answer, as `path: CODE`. */
export function firstError(tree: Json | undefined, path: string[] = []): string | null {
  if (!tree || typeof tree !== 'object') return null
  if (Array.isArray(tree._errors)) return `${path.join('.')}: ${tree._errors[0]?.code}`
  for (const [step, child] of Object.entries(tree)) {
    const found = firstError(child, [...path, step])
    if (found) return found
  }
  return null
}
