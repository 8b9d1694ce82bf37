import { describe, expect } from '../tools/test'
import { until } from '../tools/until'
import type { SeenMessage } from './standIn/controlRead'
import type { RestFault } from './standIn/faults'
import { kill, type TestBot, textOf, useBot } from './tools/testBot'

const test = await useBot(240_000)
const EXECUTE = 'POST /webhooks/{webhook_id}/{webhook_token}'
const DELETE = 'DELETE /channels/{channel_id}/messages/{message_id}'
const WEBHOOKS = 'GET /channels/{channel_id}/webhooks'
const GUILD = 'GET /guilds/{guild_id}'
const mebibyte = 1024 * 1024
/** Discord accepts them in two messages only. */
const manyFiles = ['a', 'b', 'c'].map((filename) => ({ filename, size: 9 * mebibyte }))

/** Starts the latest server again, after it was killed. */
async function restart(bot: TestBot): Promise<void> {
  await kill(bot)
  await bot.startServer()
}

/** A message whose proxying is interrupted by faults, and what the channel shows in the end. */
interface Step {
  readonly faults: readonly RestFault[]
  /** Request during which the process is killed. */
  readonly route: string
  readonly hasManyFiles?: boolean
  readonly isInOtherGuild?: boolean
  readonly shown: readonly string[]
}

const steps: Record<string, Step> = {
  'between the record and the deletion': {
    faults: [{ route: DELETE, kind: 'timeout' }],
    route: DELETE,
    shown: ['Robin: hello'],
  },
  'between the webhook and the record': {
    faults: [{ route: EXECUTE, kind: 'timeout', when: 'after' }],
    route: EXECUTE,
    shown: ['Robin: hello'],
  },
  'between the parts of a message': {
    faults: [
      { route: EXECUTE, kind: 'delay', delayMs: 1 },
      { route: EXECUTE, kind: 'timeout' },
    ],
    route: EXECUTE,
    hasManyFiles: true,
    shown: ['wren: r:hello', 'stranger: meanwhile', 'Robin: '],
  },
  'between the last part and the record': {
    faults: [
      { route: EXECUTE, kind: 'delay', when: 'after', delayMs: 1 },
      { route: EXECUTE, kind: 'timeout', when: 'after' },
    ],
    route: EXECUTE,
    hasManyFiles: true,
    shown: ['Robin: hello', 'Robin: '],
  },
  'between the claim and the webhook': {
    faults: [{ route: WEBHOOKS, kind: 'timeout' }],
    route: WEBHOOKS,
    shown: ['wren: r:hello'],
  },
  // A resumed session contains no guilds, so the first message of a guild loads it.
  'before the claim': {
    faults: [{ route: GUILD, kind: 'timeout' }],
    route: GUILD,
    isInOtherGuild: true,
    shown: ['Robin: hello'],
  },
}

describe('a process that is killed', () => {
  test(
    'at each step of proxying: the message is there once',
    async (bot) => {
      const { users, guild, wren } = bot
      const other = await users.createGuild({ memberIds: [wren], channels: ['general'] })
      await users.updateRole({
        guildId: other.id,
        roleId: other.id,
        permissions: ['VIEW_CHANNEL', 'SEND_MESSAGES'],
      })
      // Until the sequence is stored, a resumed session repeats the guilds.
      await bot.untilStored()
      await restart(bot)
      await bot.send('r:first')
      await bot.expectTexts(['Robin: first'])

      const channels = new Map<string, string>()
      for (const [name, { faults, route, hasManyFiles, isInOtherGuild }] of Object.entries(steps)) {
        const channelId = isInOtherGuild
          ? other.channelId
          : (await users.createChannel({ guildId: guild.id })).id
        channels.set(name, channelId)
        for (const fault of faults) await users.failRequests(fault)
        const before = (await users.requests({ route })).length
        await bot.send('r:hello', { channelId, ...(hasManyFiles && { files: manyFiles }) })
        const count = faults.filter((fault) => fault.route === route).length
        await until(
          () => users.requests({ route }),
          (requests) => requests.length === before + count,
        )
        if (hasManyFiles || route === EXECUTE)
          await bot.untilMessages((all) => all.some(isProxied), channelId)
      }
      await restart(bot)
      // Looks like a part of the message that was interrupted there.
      const channelId = channels.get('between the parts of a message') ?? ''
      const files = [{ filename: 'd', size: 10 }]
      await users.sendMessage({ userId: bot.stranger, channelId, content: 'meanwhile' })
      await users.sendMessage({ userId: wren, channelId, content: 'r:', files })
      // Recovery waits until no process can be sending any more.
      await until(
        () => bot.metric('recovered_total'),
        (count) => count === 5,
      )
      const shown = await Promise.all(
        [...channels].map(async ([name, id]) => [name, await bot.texts(id)]),
      )
      expect(Object.fromEntries(shown)).toEqual(
        Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, step.shown])),
      )
    },
    { options: { rateLimits: 'off' } },
  )

  test('answers replayed commands and interactions once', async (bot) => {
    const { users, guild, wren, discord } = bot
    const { channelId } = guild
    await until(
      () => users.commands(),
      (all) => all.length > 0,
    )
    await users.sendMessage({ userId: wren, channelId, content: 'pk;system id' })
    const { id } = await users.invokeCommand({ userId: wren, channelId, command: 'system info' })
    const interaction = await until(
      () => users.interaction({ id }),
      ({ answer }) => answer !== null,
    )
    await bot.untilMessages((all) => all.length === 2)
    // The sequence is stored once in a second, so Discord sends the events again.
    await restart(bot)
    await bot.send('r:hello')
    await bot.untilMessages((all) => all.some(isProxied))
    expect(await bot.metric('events_total', { type: 'INTERACTION_CREATE' })).toBe(1)
    expect(await bot.metric('events_total', { type: 'MESSAGE_CREATE' })).toBeGreaterThanOrEqual(3)
    const answers = (await users.messages({ channelId })).filter(
      ({ author }) => author.id === discord.botId,
    )
    expect(answers).toHaveLength(1)
    expect(await users.interaction({ id })).toEqual(interaction)
    const callbacks = await users.requests({
      route: 'POST /interactions/{interaction_id}/{interaction_token}/callback',
    })
    expect(callbacks).toHaveLength(1)
  })

  test(
    'twelve times under load: each message is there once',
    async (bot) => {
      const sent: string[] = []
      for (let round = 0; round < 12; round++) {
        const before = (await bot.users.requests()).length
        for (let at = 0; at < 5; at++) {
          const text = `message ${round}-${at}`
          sent.push(text)
          await bot.send(`r:${text}`)
        }
        // Each message causes at least two requests. Half of the processes are killed at once.
        const count = before + Math.floor(Math.random() * 20) - 10
        await until(async () => (await bot.users.requests()).length >= count)
        await restart(bot)
      }
      const shown = (all: readonly SeenMessage[]) =>
        all.map((message) => textOf(message).replace(/^[^:]*: (r:)?/, '')).toSorted()
      // A message that was claimed and not sent stays as it was: at most one for each kill.
      const isDone = (all: readonly SeenMessage[]) =>
        JSON.stringify(shown(all)) === JSON.stringify(sent.toSorted()) &&
        all.filter(isProxied).length >= sent.length - 12
      await until(() => bot.users.messages({ channelId: bot.guild.channelId }), isDone)
    },
    { options: { rateLimits: 'off' } },
  )
})

function isProxied({ author }: SeenMessage): boolean {
  return author.isWebhook
}
