import { DISCORD, isPlatform } from '../../model/core/platform'
import { operator } from '../../model/core/privacy'
import { formatInstant } from '../../model/core/time'
import { createBot, listBots, revokeBot } from '../../service/access/bots'
import { type Command, columns, Failure, UsageError } from '../command'

export const botCommands: Command[] = [
  {
    name: 'bot create',
    summary: 'Create a bot and print its key',
    database: () => 'create',
    flags: {
      name: { type: 'string', doc: 'Name of the bot, such as the name of its platform' },
      platform: { type: 'string', doc: 'Chat platform whose IDs the bot uses (default: discord)' },
    },
    requires: [['name']],
    async run({ flags, deps }) {
      const { platform = DISCORD } = flags
      const name = String(flags.name)
      if (typeof platform !== 'string' || !isPlatform(platform))
        throw new UsageError(
          '--platform: must be 2 to 20 lower-case letters, digits and dashes, starting with a letter',
        )
      const all = await listBots(deps(), operator)
      if (all.some((bot) => bot.name === name)) throw new Failure(`Bot ${name} already exists.`)
      const key = await createBot(deps(), operator, name, platform)
      return {
        json: { name, platform, key },
        text: `${key}\n\nKeep the key: it is not shown again.`,
      }
    },
  },
  {
    name: 'bot list',
    summary: 'List bots and their platforms',
    async run({ deps }) {
      const all = (await listBots(deps(), operator)).map(({ name, platform, created }) => ({
        name,
        platform,
        created: formatInstant(created),
      }))
      return {
        json: all,
        text:
          all.length === 0
            ? 'There are no bots.'
            : columns(all.map((b) => [b.name, b.platform, b.created])),
      }
    },
  },
  {
    name: 'bot revoke',
    summary: 'Revoke a bot key',
    args: ['NAME'],
    isDestructive: true,
    async run({ args: [name = ''], deps, confirm }) {
      await confirm(`Revoke the key of bot ${name}?`)
      if (!(await revokeBot(deps(), operator, name))) throw new Failure(`There is no bot ${name}.`)
      return { json: { revoked: name }, text: `Revoked the key of bot ${name}.` }
    },
  },
]
