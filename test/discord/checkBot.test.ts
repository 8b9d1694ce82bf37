import { checkBot } from '../../src/discord/checkBot'
import { createLog } from '../../src/runtime/log'
import { afterAll, describe, expect, test } from '../tools/test'
import { invitePermissions } from './standIn/controlWorld'
import type { PermissionName } from './standIn/permissions'
import { startDiscord } from './standIn/startDiscord'

const discord = await startDiscord({ rateLimits: 'off' })
const { users } = discord
afterAll(() => discord.stop())

const quiet = createLog('error', 'text', () => {})
const timing = { retries: 1, backoff: { firstMs: 0, maxMs: 0 } }
const check = (api = discord.api) =>
  checkBot({ token: discord.token, api, publicUrl: '' }, quiet, timing)

describe('the check of the bot', () => {
  const missing: [title: string, lacks: PermissionName[], problems: RegExp[], notes: RegExp[]][] = [
    ['names nothing when all permissions are granted', [], [], []],
    [
      'names permissions in the words of Discord, with the name of the server',
      ['MANAGE_WEBHOOKS', 'SEND_POLLS'],
      [/^Server "Aviary" \(\d+\) does not grant: Manage Webhooks and Create Polls\.$/],
      [],
    ],
    [
      'only mentions a permission that nothing needs',
      ['USE_EXTERNAL_EMOJIS'],
      [],
      [/^Server "Aviary" \(\d+\) does not grant Use External Emoji; /],
    ],
  ]
  test.each(missing)('%s', async (_, lacks, problems, notes) => {
    const botPermissions = invitePermissions.filter((name) => !lacks.includes(name))
    const guild = await users.createGuild({ name: 'Aviary', botPermissions })
    await users.updateRole({ guildId: guild.id, roleId: guild.id, permissions: [] })
    const result = await check()
    await users.removeBot({ guildId: guild.id })
    expect([result.problems, result.notes]).toEqual([
      problems.map((part) => expect.stringMatching(part)),
      notes.map((part) => expect.stringMatching(part)),
    ])
  })

  const answers: [status: number, problem: RegExp][] = [
    [401, /refused the bot token\. Set DISCORD_TOKEN to the token shown at https:/],
    [403, /^Discord answered 403 at \S+: it refuses requests from this address/],
    [404, /^Discord answered 404 at \S+\. Check DISCORD_API\.$/],
    [500, /^Discord answered 500 at \S+: a fault of Discord/],
    [503, /^Discord answered 503 at \S+: a fault of Discord/],
  ]
  test.each(answers)('names the status %d', async (status, problem) => {
    await users.failRequests({ route: 'GET /users/@me', kind: 'status', status, times: 0 })
    const { problems, name } = await check()
    await users.clearFaults()
    expect([name, problems]).toEqual([null, [expect.stringMatching(problem)]])
  })

  test('says that an address does not answer', async () => {
    const { problems } = await check('http://127.0.0.1:1/api')
    expect(problems).toEqual(['Discord does not answer at http://127.0.0.1:1/api.'])
  })
})
