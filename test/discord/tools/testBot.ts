import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage, type Storage } from '../../../src/db/open'
import { execute, rows } from '../../tools/rawSql'
import { commandLine, type Server } from '../../tools/serverProcess'
import { expect, test, withTimeout } from '../../tools/test'
import { newDatabaseAddress } from '../../tools/testApp'
import { until } from '../../tools/until'
import type { MessageInput } from '../standIn/controlMessages'
import type { Allowance, SeenMessage } from '../standIn/controlRead'
import type { StandInOptions } from '../standIn/options'
import type { PermissionName } from '../standIn/permissions'
import { findSecrets } from '../standIn/secretSearch'
import { type DiscordStandIn, startDiscord } from '../standIn/startDiscord'
import { createDatabaseGate, type DatabaseGate } from './databaseGate'

/** Part of every text of a test; it must appear in no log, database or metric. */
export const MARKER = 'zq7marker'

/** Number of log lines of each server that a failed test prints. */
const LOG_LINES = 40

/** A server process with the bot, a stand-in for Discord, and an account with a system. */
export interface TestBot {
  readonly discord: DiscordStandIn
  readonly users: DiscordStandIn['users']
  readonly guild: Awaited<ReturnType<DiscordStandIn['users']['createGuild']>>
  /** Account that is linked to the system. */
  readonly wren: string
  /** Account without a system. */
  readonly stranger: string
  readonly member: { id: string; uuid: string }
  readonly servers: Server[]
  readonly database: DatabaseGate
  readonly env: Record<string, string>
  readonly cwd: string
  /** Starts another server on the same database. */
  startServer(env?: Record<string, string>): Promise<Server>
  /** Starts the bot without a server on the same database. */
  startBotAlone(env?: Record<string, string>): Promise<Server>
  /** Runs SQL on the database of the bot. */
  runSql(sql: string): Promise<void>
  readRows<Row>(sql: string): Promise<Row[]>
  /** Waits until no message is unfinished, and the session of the gateway is stored. */
  untilStored(): Promise<void>
  /** Stops the servers, and waits until their processes have ended. */
  stopServers(): Promise<void>
  /** Sends a request of the system to the API. */
  ask(line: string, body?: unknown): Promise<{ status: number; json: Record<string, never> }>
  /** Sends a request of a bot of the operator. */
  askAsBot(line: string, body?: unknown): Promise<{ status: number; json: Record<string, never> }>
  send(content: string, input?: Partial<MessageInput>): Promise<{ id: string; channelId: string }>
  /** Waits until the texts of a channel are these. */
  expectTexts(texts: readonly string[], channelId?: string): Promise<SeenMessage[]>
  texts(channelId?: string): Promise<string[]>
  /** Waits until a condition on the messages of a channel holds. */
  untilMessages(
    isDone: (messages: SeenMessage[]) => boolean,
    channelId?: string,
  ): Promise<SeenMessage[]>
  /** Value of a metric, summed over its labels. */
  metric(name: string, labels?: Record<string, string>): Promise<number>
  allow(allowance: Allowance): void
}

export interface BotScene {
  readonly options?: Partial<StandInOptions>
  readonly env?: Record<string, string>
  readonly guild?: Parameters<DiscordStandIn['users']['createGuild']>[0]
  /** Does not start a server yet. */
  readonly isOff?: boolean
}

type BotTest = (title: string, run: (bot: TestBot) => Promise<void>, scene?: BotScene) => void

/**
 * Returns a function that defines a test with a bot of its own. After the test the bot is stopped,
 * and everything that it wrote is searched for secrets.
 */
export async function useBot(timeoutMs?: number): Promise<BotTest> {
  const start = await createStart()
  const define = timeoutMs === undefined ? test : withTimeout(timeoutMs).test
  return (title, run, scene = {}) =>
    define(title, async () => {
      const { bot, finish } = await start(scene)
      try {
        await run(bot)
      } catch (cause) {
        for (const server of bot.servers) {
          server.kill('SIGKILL')
          // Shows why the bot did not do what the test expected.
          process.stderr.write(server.output().split('\n').slice(-LOG_LINES).join('\n'))
        }
        await bot.discord.stop()
        throw cause
      }
      await finish()
    })
}

export async function createStart() {
  const { startServer, startDiscordBot, runJson } = commandLine()
  return async (scene: BotScene): Promise<{ bot: TestBot; finish: () => Promise<void> }> => {
    const discord = await startDiscord({
      identifyWindowMs: 50,
      // Longer than a process stalls on a busy machine.
      heartbeatMs: 40_000,
      interactionAnswerMs: 60_000,
      ...scene.options,
    })
    const { users } = discord
    const [wren, stranger] = await Promise.all(
      ['wren', 'stranger'].map(async (username) => (await users.createUser({ username })).id),
    )
    if (wren === undefined || stranger === undefined) throw new Error('no users')
    const guild = await users.createGuild({
      memberIds: [wren, stranger],
      channels: ['general', 'other', 'log'],
      ...scene.guild,
    })
    const everyone = { guildId: guild.id, roleId: guild.id }
    await users.updateRole({ ...everyone, permissions: everybodysPermissions })
    const cwd = mkdtempSync(join(tmpdir(), 'multitude-discord-'))
    const database = await createDatabaseGate(newDatabaseAddress(cwd))
    const env = {
      DATABASE_URL: database.address,
      DISCORD_TOKEN: discord.token,
      DISCORD_API: discord.api,
      DISCORD_CDN: discord.cdn,
      // A bot whose lease expires on a busy machine leaves alone what it was sending.
      LEASE_SECONDS: '60',
      LOG_LEVEL: 'debug',
      RATE_LIMIT: 'off',
      METRICS: 'on',
      METRICS_ADDRESS: '127.0.0.1:0',
      ...scene.env,
    }
    await users.addSecret({ secret: MARKER })
    const servers: Server[] = []
    let allowance: Allowance = {}
    const created = await runJson<{ id: string; token: string }>(
      ['system', 'create', '--name', 'Aviary', '--account', wren],
      { cwd, env },
    )
    const { key } = await runJson<{ key: string }>(['bot', 'create', '--name', 'test'], {
      cwd,
      env,
    })
    const request = async (headers: Record<string, string>, line: string, body?: unknown) => {
      const [method = 'GET', path] = line.split(' ')
      const response = await fetch(`${servers.at(-1)?.address}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : {} }
    }
    /** Address of the metrics of the first server that has some. */
    const metricsAddress = () =>
      servers.map((server) => /"metrics":"([^"]+)"/.exec(server.output())?.[1]).find(Boolean) ?? ''
    const start = async (more: Record<string, string> = {}) => {
      const server = await startServer([], { cwd, env: { ...env, ...more } })
      servers.push(server)
      return server
    }
    const startBotAlone = async (more: Record<string, string> = {}) => {
      const server = await startDiscordBot({ cwd, env: { ...env, ...more } })
      servers.push(server)
      return server
    }
    const ask = (line: string, body?: unknown) =>
      request({ authorization: created.token }, line, body)
    const channel = (id?: string) => ({ channelId: id ?? guild.channelId })
    const untilMessages: TestBot['untilMessages'] = (isDone, id) =>
      until(() => users.messages(channel(id)), isDone)
    let metrics = ''
    const stopServers = async () => {
      metrics += await fetch(metricsAddress()).then(
        (response) => response.text(),
        () => '',
      )
      for (const server of servers) server.kill('SIGTERM')
      return Promise.all(servers.map((server) => server.end()))
    }
    const useStorage = async <T>(work: (storage: Storage) => Promise<T>) => {
      const storage = openStorage(env.DATABASE_URL)
      await storage.ready
      return work(storage).finally(() => storage.close())
    }
    const readRows = <Row>(sql: string) => useStorage(({ db }) => rows<Row>(db, sql))
    const finish = async () => {
      const ends = await stopServers()
      database.stop()
      const problems = await users.problems(allowance)
      const secrets = await users.secrets()
      await discord.stop()
      expect(problems).toEqual([])
      const files = readdirSync(cwd).map((name) => [name, readFileSync(join(cwd, name))])
      const written = { log: ends.map(({ err }) => err).join('\n'), metrics }
      rmSync(cwd, { recursive: true })
      expect(findSecrets({ ...written, ...Object.fromEntries(files) }, secrets)).toEqual([])
    }
    if (!scene.isOff) await start()
    else servers.push(await startServer([], { cwd, env: { ...env, DISCORD_TOKEN: '' } }))
    const { json: member } = await ask('POST /v2/members', {
      name: 'Robin',
      proxy_tags: [{ prefix: 'r:', suffix: null }],
    })
    // A process that is killed before its session is stored would miss messages.
    if (!scene.isOff)
      await until(async () => (await readRows('select 1 from discord_sessions')).length > 0)
    const bot: TestBot = {
      discord,
      users,
      guild,
      wren,
      stranger,
      member: { id: String(member.id), uuid: String(member.uuid) },
      servers,
      database,
      env,
      cwd,
      startServer: start,
      startBotAlone,
      runSql: (sql) => useStorage(({ transact }) => transact('new', (tx) => execute(tx, sql))),
      readRows,
      async untilStored() {
        await until(async () => {
          const claims = await readRows(
            "select id from discord_claims where state not in ('done', 'dropped')",
          )
          const stored = await readRows<{ sequence: number }>('select * from discord_sessions')
          const [session] = await users.sessions()
          return claims.length === 0 && Number(stored[0]?.sequence) === session?.seq
        })
      },
      async stopServers() {
        await stopServers()
      },
      ask,
      askAsBot: (line, body) => request({ authorization: `Bot ${key}` }, line, body),
      send: (content, input = {}) =>
        users.sendMessage({
          userId: wren,
          channelId: guild.channelId,
          content: content === '' ? '' : `${content} ${MARKER}`,
          ...input,
        }),
      async texts(id) {
        return (await users.messages(channel(id))).map(textOf)
      },
      async expectTexts(texts, id) {
        const isSame = (messages: SeenMessage[]) =>
          JSON.stringify(messages.map(textOf)) === JSON.stringify(texts)
        return untilMessages(isSame, id)
      },
      untilMessages,
      metric: (name, labels = {}) => readMetric(metricsAddress(), name, labels),
      allow(changes) {
        allowance = changes
      },
    }
    return { bot, finish }
  }
}

/** Value of a metric of the bot, summed over the labels that are not given. */
export async function readMetric(
  address: string,
  name: string,
  labels: Record<string, string>,
): Promise<number> {
  const text = await (await fetch(address)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(`multitude_discord_${name}`))
    .filter((line) =>
      Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`)),
    )
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Kills the latest server, and lets its leases expire at once. */
export async function kill({ servers, runSql }: TestBot): Promise<void> {
  const server = servers.pop()
  server?.kill('SIGKILL')
  await server?.end()
  await runSql(`delete from leases where holder like '%:${server?.pid}:%'`)
}

/** Permissions that members of a guild usually have. */
export const everybodysPermissions: PermissionName[] = [
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'SEND_MESSAGES_IN_THREADS',
  'EMBED_LINKS',
  'ATTACH_FILES',
  'READ_MESSAGE_HISTORY',
  'ADD_REACTIONS',
  'SEND_POLLS',
  'SEND_VOICE_MESSAGES',
  'CONNECT',
  'USE_APPLICATION_COMMANDS',
]

/** "name: text" of a message, without the marker. */
export function textOf({ author, content }: SeenMessage): string {
  return `${author.name}: ${content.replaceAll(MARKER, '').trim()}`
}

/** Returns the ID of a button of a message. */
export function buttonOf({ components }: SeenMessage, label: string): string {
  const buttons = components.flatMap(
    (row) => row.components as { label: string; custom_id: string }[],
  )
  const found = buttons.find((button) => button.label === label)
  if (!found) throw new Error(`no button ${label}`)
  return found.custom_id
}
