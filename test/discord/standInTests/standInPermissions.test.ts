import { afterAll, describe, expect, test } from '../../tools/test'
import type { OverwriteInput } from '../standIn/controlWorld'
import type { PermissionName } from '../standIn/permissions'
import { startDiscord } from '../standIn/startDiscord'
import { rest } from '../tools/rawClient'

const discord = await startDiscord({ rateLimits: 'off' })
const { users } = discord
afterAll(() => discord.stop())

const full: PermissionName[] = ['VIEW_CHANNEL', 'SEND_MESSAGES', 'READ_MESSAGE_HISTORY']

interface Case {
  title: string
  everyone?: PermissionName[]
  role?: PermissionName[]
  /** Overwrites by target: @everyone, the bot's role, another role of the bot, the bot itself. */
  overwrites?: { everyone?: Allow; role?: Allow; second?: Allow; bot?: Allow }
  isOwner?: boolean
  isTimedOut?: boolean
  thread?: 'public' | 'private' | 'joined'
  channelType?: number
  /** Answer to a message of the bot. */
  code: number | null
}
type Allow = { allow?: PermissionName[]; deny?: PermissionName[] }

const send: PermissionName[] = ['SEND_MESSAGES']
const view: PermissionName[] = ['VIEW_CHANNEL']

/** Computed by hand from "Permissions, Permission Hierarchy" and "Permission Overwrites". */
const cases: Case[] = [
  { title: 'everyone may send', everyone: full, code: null },
  { title: 'a role may send', role: full, code: null },
  { title: 'no role may view', code: 50001 },
  { title: 'the bot may view but not send', everyone: view, code: 50013 },
  { title: 'the bot may send but not view', everyone: send, code: 50001 },
  {
    title: 'the owner may do everything',
    isOwner: true,
    overwrites: { everyone: { deny: [...full] } },
    code: null,
  },
  {
    title: 'an administrator ignores overwrites',
    role: ['ADMINISTRATOR'],
    overwrites: { bot: { deny: full } },
    code: null,
  },
  {
    title: 'everyone is denied',
    everyone: full,
    overwrites: { everyone: { deny: send } },
    code: 50013,
  },
  {
    title: 'everyone is denied viewing',
    everyone: full,
    overwrites: { everyone: { deny: view } },
    code: 50001,
  },
  {
    title: 'a role allows what everyone is denied',
    everyone: full,
    overwrites: { everyone: { deny: send }, role: { allow: send } },
    code: null,
  },
  {
    title: 'a role denies what everyone is allowed',
    everyone: full,
    overwrites: { everyone: { allow: send }, role: { deny: send } },
    code: 50013,
  },
  {
    title: 'one role allows what another denies',
    everyone: full,
    overwrites: { role: { deny: send }, second: { allow: send } },
    code: null,
  },
  {
    title: 'the member allows what a role denies',
    everyone: full,
    overwrites: { role: { deny: send }, bot: { allow: send } },
    code: null,
  },
  {
    title: 'the member denies what a role allows',
    everyone: full,
    overwrites: { role: { allow: send }, bot: { deny: send } },
    code: 50013,
  },
  { title: 'a timed out member', everyone: full, isTimedOut: true, code: 50013 },
  { title: 'a timed out administrator', role: ['ADMINISTRATOR'], isTimedOut: true, code: null },
  {
    title: 'a thread without Send Messages in Threads',
    everyone: full,
    thread: 'public',
    code: 50013,
  },
  {
    title: 'a thread needs no Send Messages',
    everyone: [...view, 'SEND_MESSAGES_IN_THREADS'],
    thread: 'public',
    code: null,
  },
  {
    title: 'a thread of a hidden channel',
    everyone: [...full, 'SEND_MESSAGES_IN_THREADS'],
    overwrites: { bot: { deny: view } },
    thread: 'public',
    code: 50001,
  },
  {
    title: 'a private thread that the bot is not in',
    everyone: [...view, 'SEND_MESSAGES_IN_THREADS'],
    thread: 'private',
    code: 50001,
  },
  {
    title: 'a private thread that the bot is in',
    everyone: [...view, 'SEND_MESSAGES_IN_THREADS'],
    thread: 'joined',
    code: null,
  },
  {
    title: 'a private thread with Manage Threads',
    everyone: [...view, 'SEND_MESSAGES_IN_THREADS', 'MANAGE_THREADS'],
    thread: 'private',
    code: null,
  },
  { title: 'a voice channel without Connect', everyone: full, channelType: 2, code: 50013 },
  {
    title: 'a voice channel with Connect',
    everyone: [...full, 'CONNECT'],
    channelType: 2,
    code: null,
  },
]

async function createCase(row: Case) {
  const guild = await users.createGuild({
    botPermissions: row.role ?? [],
    channels: [],
    ...(row.isOwner ? { ownerId: discord.botId } : {}),
  })
  const { id: second } = await users.createRole({ guildId: guild.id })
  const roles = [guild.botRoleId ?? '', second]
  await users.updateRole({ guildId: guild.id, roleId: guild.id, permissions: row.everyone ?? [] })
  await users.updateMember({
    guildId: guild.id,
    userId: discord.botId,
    roles,
    timedOutUntil: row.isTimedOut ? Date.now() + 3600_000 : null,
  })
  const { everyone, role, second: other, bot } = row.overwrites ?? {}
  const overwrites: OverwriteInput[] = [
    ...(everyone ? [{ roleId: guild.id, ...everyone }] : []),
    ...(role ? [{ roleId: roles[0] ?? '', ...role }] : []),
    ...(other ? [{ roleId: second, ...other }] : []),
    ...(bot ? [{ userId: discord.botId, ...bot }] : []),
  ]
  const { id: channelId } = await users.createChannel({
    guildId: guild.id,
    overwrites,
    type: row.channelType ?? 0,
  })
  if (!row.thread) return channelId
  const { id: threadId } = await users.createThread({
    parentId: channelId,
    ownerId: guild.ownerId,
    type: row.thread === 'public' ? 11 : 12,
  })
  if (row.thread === 'joined')
    await users.updateThread({ threadId, memberIds: [guild.ownerId, discord.botId] })
  return threadId
}

describe('permissions', () => {
  test.each(cases.map((row) => [row.title, row] as const))('%s', async (_, row) => {
    const channelId = await createCase(row)
    const answer = await rest(discord, `POST /channels/${channelId}/messages`, {
      body: { content: 'a' },
    })
    expect([answer.status, answer.code]).toEqual(row.code ? [403, row.code] : [200, null])
  })

  test('without Send Messages, Embed Links and Attach Files do not count', async () => {
    const channelId = await createCase({
      title: '',
      everyone: [...view, 'EMBED_LINKS', 'ATTACH_FILES'],
      overwrites: { bot: { allow: ['EMBED_LINKS'] } },
      code: null,
    })
    const body = { embeds: [{ title: 'a' }] }
    expect((await rest(discord, `POST /channels/${channelId}/messages`, { body })).code).toBe(50013)
  })

  const parts: [title: string, body: object, needed: PermissionName][] = [
    ['embeds', { embeds: [{ title: 'a' }] }, 'EMBED_LINKS'],
    [
      'a poll',
      { poll: { question: { text: 'a' }, answers: [{ poll_media: { text: 'b' } }] } },
      'SEND_POLLS',
    ],
  ]
  test.each(parts)('%s need a permission of their own', async (title, body, needed) => {
    const without = await createCase({ title, everyone: full, code: 50013 })
    const withIt = await createCase({ title, everyone: [...full, needed], code: null })
    expect((await rest(discord, `POST /channels/${without}/messages`, { body })).code).toBe(50013)
    expect((await rest(discord, `POST /channels/${withIt}/messages`, { body })).status).toBe(200)
  })

  test('reading needs View Channel and Read Message History', async () => {
    const reads = async (everyone: PermissionName[]) => {
      const channelId = await createCase({ title: '', everyone, code: null })
      return rest(discord, `GET /channels/${channelId}/messages`)
    }
    expect((await reads([])).code).toBe(50001)
    expect((await reads(view)).status).toBe(200)
    const { code } = await rest(discord, 'GET /channels/1')
    expect(code).toBe(10003)
  })

  test('the stand-in recorded no problem', async () => {
    expect(await users.problems({ statuses: { 403: 99 } })).toEqual([])
  })
})
