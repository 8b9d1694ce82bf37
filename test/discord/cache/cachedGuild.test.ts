import fc from 'fast-check'
import { createCachedGuild } from '../../../src/discord/cache/cachedGuild'
import { createPackedRecords } from '../../../src/discord/cache/packedRecords'
import { permissionsIn } from '../../../src/discord/cache/permissionsIn'
import { hasPermissions } from '../../../src/discord/permissions/permission'
import { expect, test } from '../../tools/test'

test('packed records behave like a map', () => {
  const id = fc.integer({ min: 0, max: 120 }).map(String)
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '1', '2', '%') })
  const change = fc.oneof(
    fc.record({ id, text }),
    id.map((one) => ({ id: one, text: null })),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(id, text)), fc.array(change), (first, changes) => {
      const model = new Map(first)
      const records = createPackedRecords([...model])
      for (const one of changes) {
        if (one.text === null) {
          model.delete(one.id)
          records.delete(one.id)
        } else {
          model.set(one.id, one.text)
          records.set(one.id, one.text)
        }
        expect(records.find(one.id)).toBe(model.get(one.id))
      }
      expect(new Map(records.list())).toEqual(model)
    }),
  )
})

test('a cached guild returns what was put in', () => {
  const overwrites = [
    { id: '1', type: 0, allow: '0', deny: '1024' },
    { id: '7', type: 1, allow: '2048', deny: '0' },
  ]
  const guild = createCachedGuild('1', {
    guild: {
      owner_id: '2',
      premium_tier: 2,
      roles: [{ id: '1', permissions: '8', mentionable: true }],
    },
    channels: [
      {
        id: '3',
        type: 0,
        name: '🌸 tea % room',
        parent_id: '4',
        permission_overwrites: overwrites,
      },
      { id: '5', type: 2, name: 'broken \ud800', rate_limit_per_user: 30 },
    ],
    threads: [{ id: '6', type: 11, name: 'thread', parent_id: '3' }],
    ownRoleIds: ['1'],
  })
  expect(guild.findRole('1')).toEqual({ permissions: 8n, mentionable: true })
  expect(guild.listChannels()).toEqual([
    {
      id: '3',
      type: 0,
      name: '🌸 tea % room',
      parentId: '4',
      slowmodeSeconds: 0,
      overwrites: [
        { id: '1', isMember: false, allow: 0n, deny: 1024n },
        { id: '7', isMember: true, allow: 2048n, deny: 0n },
      ],
    },
    {
      id: '5',
      type: 2,
      name: 'broken \ufffd',
      parentId: null,
      slowmodeSeconds: 30,
      overwrites: [],
    },
    { id: '6', type: 11, name: 'thread', parentId: '3', slowmodeSeconds: 0, overwrites: [] },
  ])
  guild.deleteChannel('3')
  expect(guild.listChannels().map(({ id }) => id)).toEqual(['5'])
})

test('permissions in a thread are those of its parent', () => {
  const guild = createCachedGuild('1', {
    guild: {
      owner_id: '2',
      premium_tier: 0,
      roles: [{ id: '1', permissions: '1024', mentionable: false }],
    },
    channels: [
      {
        id: '3',
        type: 0,
        permission_overwrites: [{ id: '1', type: 0, allow: String(1n << 38n), deny: '0' }],
      },
    ],
    threads: [
      { id: '6', type: 11, parent_id: '3' },
      { id: '7', type: 11, parent_id: '999' },
      { id: '8', type: 12, parent_id: '3' },
    ],
    ownRoleIds: [],
  })
  const maySend = (channelId: string, isThreadMember: boolean) => {
    const channel = guild.findChannel(channelId)
    if (!channel) throw new Error('the channel is missing')
    const member = { userId: '9', roleIds: [] }
    const granted = permissionsIn(guild, channel, member, { now: 0, isThreadMember })
    return hasPermissions(granted, 'ViewChannel', 'SendMessages')
  }
  expect([maySend('3', false), maySend('6', false), maySend('7', false)]).toEqual([
    false,
    true,
    false,
  ])
  expect([maySend('8', false), maySend('8', true)]).toEqual([false, true])
})
