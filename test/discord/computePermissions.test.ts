import { ChannelType } from '../../src/discord/permissions/channelType'
import {
  computeChannelPermissions,
  computeGuildPermissions,
  type Overwrite,
  type PermissionMember,
} from '../../src/discord/permissions/computePermissions'
import {
  ALL_PERMISSIONS,
  combine,
  missingPermissions,
  Permission,
  type PermissionName,
} from '../../src/discord/permissions/permission'
import { REQUESTED_PERMISSIONS } from '../../src/model/core/discord'
import { describe, expect, test } from '../tools/test'

const NOW = Date.parse('2026-11-16T12:00:00Z')
const GUILD = '1'
const OWNER = '2'
const MEMBER = '3'
const roles: Record<string, PermissionName[]> = {
  [GUILD]: [
    'ViewChannel',
    'SendMessages',
    'EmbedLinks',
    'ReadMessageHistory',
    'SendMessagesInThreads',
    'Connect',
  ],
  '10': ['ManageMessages'],
  '11': ['MentionEveryone', 'AttachFiles'],
  '12': ['Administrator'],
  '13': ['ManageThreads'],
}

const guild = {
  id: GUILD,
  ownerId: OWNER,
  findRole: (id: string) => (roles[id] ? { permissions: bits(roles[id]) } : undefined),
}

const everyone = roles[GUILD] ?? []

interface Scenario {
  title: string
  member?: Partial<PermissionMember>
  overwrites?: Overwrite[]
  type?: number
  thread?: { type: number; isMember: boolean }
  expected: readonly PermissionName[] | 'all'
}

/** Expected values are worked out by hand from the pseudocode and the rules of Discord's page. */
const scenarios: Scenario[] = [
  { title: 'the owner has everything', member: { userId: OWNER }, expected: 'all' },
  {
    title: 'the owner ignores overwrites',
    member: { userId: OWNER },
    overwrites: [deny(GUILD, 'ViewChannel')],
    expected: 'all',
  },
  { title: 'a member without roles has those of @everyone', expected: everyone },
  {
    title: 'permissions of all roles are added',
    member: { roleIds: ['10', '11'] },
    expected: [...everyone, 'ManageMessages', 'MentionEveryone', 'AttachFiles'],
  },
  {
    title: 'a role that does not exist adds nothing',
    member: { roleIds: ['99'] },
    expected: everyone,
  },
  { title: 'an administrator has everything', member: { roleIds: ['12'] }, expected: 'all' },
  {
    title: 'an administrator ignores overwrites',
    member: { roleIds: ['12'] },
    overwrites: [deny('12', 'ViewChannel'), denyMember('ViewChannel')],
    expected: 'all',
  },
  {
    title: 'an overwrite of @everyone denies',
    overwrites: [deny(GUILD, 'EmbedLinks')],
    expected: without(everyone, 'EmbedLinks'),
  },
  {
    title: 'an overwrite of @everyone allows',
    overwrites: [allow(GUILD, 'AttachFiles')],
    expected: [...everyone, 'AttachFiles'],
  },
  {
    title: 'an overwrite of a role denies',
    member: { roleIds: ['10'] },
    overwrites: [deny('10', 'EmbedLinks')],
    expected: [...without(everyone, 'EmbedLinks'), 'ManageMessages'],
  },
  {
    title: 'the overwrite of a role is stronger than that of @everyone',
    member: { roleIds: ['10'] },
    overwrites: [deny(GUILD, 'EmbedLinks'), allow('10', 'EmbedLinks')],
    expected: [...everyone, 'ManageMessages'],
  },
  {
    title: 'among roles an allowance is stronger than a denial, in any order',
    member: { roleIds: ['10', '11'] },
    overwrites: [allow('10', 'EmbedLinks'), deny('11', 'EmbedLinks')],
    expected: [...everyone, 'ManageMessages', 'MentionEveryone', 'AttachFiles'],
  },
  {
    title: 'the overwrite of the member is the strongest',
    member: { roleIds: ['10'] },
    overwrites: [allow('10', 'EmbedLinks'), denyMember('EmbedLinks')],
    expected: [...without(everyone, 'EmbedLinks'), 'ManageMessages'],
  },
  {
    title: 'the overwrite of another member has no effect',
    overwrites: [{ ...denyMember('ViewChannel'), id: '4' }],
    expected: everyone,
  },
  {
    title: 'the overwrite of a role that the member does not have has no effect',
    overwrites: [deny('10', 'ViewChannel')],
    expected: everyone,
  },
  {
    title: 'an overwrite of an account does not apply to a role with the same ID',
    member: { roleIds: ['10'] },
    overwrites: [{ ...denyMember('EmbedLinks'), id: '10' }],
    expected: [...everyone, 'ManageMessages'],
  },
  {
    title: 'administrator granted by an overwrite is not administrator',
    overwrites: [allow(GUILD, 'Administrator')],
    expected: [...everyone, 'Administrator'],
  },
  {
    title: 'without View Channel nothing is left',
    overwrites: [deny(GUILD, 'ViewChannel')],
    expected: [],
  },
  {
    title: 'without Send Messages the permissions that need it are lost',
    member: { roleIds: ['10', '11'] },
    overwrites: [deny(GUILD, 'SendMessages'), allow(GUILD, 'SendTtsMessages')],
    expected: [...without(everyone, 'SendMessages', 'EmbedLinks'), 'ManageMessages'],
  },
  {
    title: 'in a voice channel without Connect only View Channel is left',
    type: ChannelType.Voice,
    overwrites: [deny(GUILD, 'Connect')],
    expected: ['ViewChannel'],
  },
  {
    title: 'in a text channel Connect does not matter',
    overwrites: [deny(GUILD, 'Connect')],
    expected: without(everyone, 'Connect'),
  },
  {
    title: 'a thread has the overwrites of its parent',
    thread: { type: ChannelType.PublicThread, isMember: false },
    overwrites: [allow(GUILD, 'AttachFiles')],
    expected: [...everyone, 'AttachFiles'],
  },
  {
    title: 'in a thread Send Messages of the parent does not matter',
    thread: { type: ChannelType.PublicThread, isMember: false },
    overwrites: [deny(GUILD, 'SendMessages')],
    expected: everyone,
  },
  {
    title: 'in a thread Send Messages in Threads is needed',
    thread: { type: ChannelType.AnnouncementThread, isMember: false },
    overwrites: [deny(GUILD, 'SendMessagesInThreads')],
    expected: without(everyone, 'SendMessagesInThreads', 'SendMessages', 'EmbedLinks'),
  },
  {
    title: 'a thread of a hidden channel is hidden',
    thread: { type: ChannelType.PublicThread, isMember: true },
    overwrites: [deny(GUILD, 'ViewChannel')],
    expected: [],
  },
  {
    title: 'a private thread is hidden from other members',
    thread: { type: ChannelType.PrivateThread, isMember: false },
    expected: [],
  },
  {
    title: 'a private thread is open to its members',
    thread: { type: ChannelType.PrivateThread, isMember: true },
    expected: everyone,
  },
  {
    title: 'a private thread is open with Manage Threads',
    member: { roleIds: ['13'] },
    thread: { type: ChannelType.PrivateThread, isMember: false },
    expected: [...everyone, 'ManageThreads'],
  },
  {
    title: 'a timeout leaves View Channel and Read Message History',
    member: { roleIds: ['10'], timedOutUntil: '2026-11-16T12:00:01Z' },
    expected: ['ViewChannel', 'ReadMessageHistory'],
  },
  {
    title: 'a timeout leaves the same in a voice channel',
    type: ChannelType.Voice,
    member: { timedOutUntil: '2026-11-16T12:00:01Z' },
    expected: ['ViewChannel', 'ReadMessageHistory'],
  },
  {
    title: 'a timeout reveals no hidden channel',
    member: { timedOutUntil: '2026-11-16T12:00:01Z' },
    overwrites: [deny(GUILD, 'ViewChannel')],
    expected: [],
  },
  {
    title: 'a timeout that has ended has no effect',
    member: { timedOutUntil: '2026-11-16T11:59:59Z' },
    expected: everyone,
  },
  { title: 'no timeout has no effect', member: { timedOutUntil: null }, expected: everyone },
  {
    title: 'a timeout has no effect on an administrator',
    member: { roleIds: ['12'], timedOutUntil: '2026-11-16T12:00:01Z' },
    expected: 'all',
  },
]

describe('permissions in a channel', () => {
  test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
    '%s',
    (_, { member, overwrites = [], type = ChannelType.Text, thread, expected }) => {
      const granted = computeChannelPermissions(
        guild,
        { type, overwrites },
        { userId: MEMBER, roleIds: [], ...member },
        NOW,
        thread,
      )
      expect(namesOf(granted)).toEqual(namesOf(bits(expected)))
    },
  )
})

describe('permissions in a guild', () => {
  test('are those of the roles', () =>
    expect(computeGuildPermissions(guild, { userId: MEMBER, roleIds: ['10'] }, NOW)).toBe(
      bits([...everyone, 'ManageMessages']),
    ))

  test('are reduced by a timeout', () => {
    const member = { userId: MEMBER, roleIds: ['10'], timedOutUntil: '2026-11-16T12:00:01Z' }
    expect(computeGuildPermissions(guild, member, NOW)).toBe(
      bits(['ViewChannel', 'ReadMessageHistory']),
    )
  })
})

test('the invite requests the permissions of the documentation', () =>
  expect(REQUESTED_PERMISSIONS).toBe(
    combine(
      'ViewChannel',
      'SendMessages',
      'SendMessagesInThreads',
      'SendVoiceMessages',
      'SendPolls',
      'ManageMessages',
      'ManageWebhooks',
      'EmbedLinks',
      'AttachFiles',
      'ReadMessageHistory',
      'AddReactions',
      'UseExternalEmojis',
    ),
  ))

test('missing permissions are named', () =>
  expect(missingPermissions(Permission.ViewChannel, ['ViewChannel', 'ManageWebhooks'])).toEqual([
    'ManageWebhooks',
  ]))

function bits(names: readonly PermissionName[] | 'all'): bigint {
  if (names === 'all') return ALL_PERMISSIONS
  return names.reduce((sum, name) => sum | Permission[name], 0n)
}

function namesOf(granted: bigint): string[] {
  return Object.entries(Permission).flatMap(([name, bit]) => (granted & bit ? [name] : []))
}

function without(names: readonly PermissionName[], ...removed: PermissionName[]): PermissionName[] {
  return names.filter((name) => !removed.includes(name))
}

function allow(id: string, ...names: PermissionName[]): Overwrite {
  return { id, isMember: false, allow: bits(names), deny: 0n }
}

function deny(id: string, ...names: PermissionName[]): Overwrite {
  return { id, isMember: false, allow: 0n, deny: bits(names) }
}

function denyMember(...names: PermissionName[]): Overwrite {
  return { id: MEMBER, isMember: true, allow: 0n, deny: bits(names) }
}
