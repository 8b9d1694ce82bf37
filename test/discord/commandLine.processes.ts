import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine } from '../tools/serverProcess'
import { describe, expect } from '../tools/test'
import { until } from '../tools/until'
import { useBot } from './tools/testBot'

const test = await useBot()
const { run, words } = commandLine()

describe('multitude discord check', () => {
  test('prints the invite address and exits 0', async ({ cwd, env, discord }) => {
    const { code, out } = await run(['discord', 'check'], { cwd, env })
    expect(code).toBe(0)
    expect(out).toContain(
      `https://discord.com/oauth2/authorize?client_id=${discord.applicationId}&scope=bot+applications.commands&permissions=633594112764992`,
    )
  })

  test('accepts --database like other commands, and opens none', async ({ cwd, env }) => {
    const { code, err } = await run(['discord', 'check', '--database', 'file:none.db'], {
      cwd,
      env,
    })
    expect([code, err]).toEqual([0, ''])
    expect(existsSync(join(cwd, 'none.db'))).toBe(false)
  })

  test('names the intent and the permissions that are missing, and exits 1', async (bot) => {
    const { users, guild, cwd, env } = bot
    await users.setOptions({ privilegedIntents: [] })
    const roleId = guild.botRoleId ?? ''
    await users.updateRole({ guildId: guild.id, roleId, permissions: ['VIEW_CHANNEL'] })
    const { code, out } = await run(['discord', 'check'], { cwd, env })
    expect(code).toBe(1)
    expect(out).toContain('Message Content Intent')
    expect(out).toContain('Manage Webhooks')
  })

  test('explains a refused token without printing it', async (bot) => {
    const { cwd, env } = bot
    bot.allow({ statuses: { 401: 3 } })
    const DISCORD_TOKEN = 'wrong-token'
    const { code, out, err } = await run(['discord', 'check'], {
      cwd,
      env: { ...env, DISCORD_TOKEN },
    })
    expect(code).toBe(1)
    expect(out + err).toContain('refused the bot token')
    expect(out + err).not.toContain(DISCORD_TOKEN)
  })
})

describe('multitude discord', () => {
  test(
    'runs the bot without a server, and stops resumably',
    async ({ cwd, env, users, send, expectTexts }) => {
      const child = Bun.spawn([...words, 'discord'], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
      await until(
        () => users.sessions(),
        (sessions) => sessions.some(({ isConnected }) => isConnected),
      )
      await send('r:hello')
      await expectTexts(['Robin: hello'])
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      const [connection] = await users.connections()
      expect(connection?.closed).toEqual({ code: 4900, by: 'client' })
    },
    { isOff: true },
  )

  test(
    'ends with a status that a service does not restart when its token was revoked',
    async (bot) => {
      const { cwd, env, users } = bot
      const child = Bun.spawn([...words, 'discord'], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
      await until(
        () => users.sessions(),
        (sessions) => sessions.some(({ isConnected }) => isConnected),
      )
      await users.changeToken()
      await users.closeConnections({ code: 4004 })
      expect(await child.exited).toBe(78)
      const unit = readFileSync(join(import.meta.dir, '../../examples/multitude.service'), 'utf8')
      expect(unit).toContain('RestartPreventExitStatus=78')
      expect(await child.stderr.text()).toContain('multitude: Discord refused the bot token. Set')
    },
    { isOff: true },
  )
})
