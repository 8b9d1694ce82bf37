import { describe, expect, test } from 'bun:test'
import { memberGuild, systemGuild } from '../../../src/model/guild'
import { findMemberGuild } from '../../../src/service/guilds'
import { patchMemberGuild, patchSystemGuild } from '../../operatorActions'
import {
  createFixture,
  type Fixture,
  initialOf,
  runScenarios,
  type Scenarios,
} from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const GUILD = '18446744073709551615'

const ofSystem = initialOf(systemGuild)
const ofMember = initialOf(memberGuild)

const makeSystemGuild = ({ owner }: Fixture) =>
  patchSystemGuild(place.deps, owner.id, GUILD, {}, 'make')
const makeMemberGuild = ({ wren }: Fixture) => patchMemberGuild(place.deps, wren, GUILD, {}, 'make')

const notIds = [
  'abc',
  '-1',
  '+1',
  '1.5',
  '1e5',
  '0x10',
  '%20',
  '1%202',
  '1,2',
  '@me',
  'null',
  '%D9%A3',
  '18446744073709551616',
  '100000000000000000000',
  '1'.repeat(21),
]

describe('a system’s settings in a guild', () => {
  const path = `/v2/systems/@me/guilds/${GUILD}`
  const refused: Scenarios = {}
  for (const id of notIds) {
    refused[`are not in a guild called ${id}`] = {
      ask: `GET /v2/systems/@me/guilds/${id}`,
      status: 400,
    }
    refused[`are not changed in a guild called ${id}`] = {
      ask: `PATCH /v2/systems/@me/guilds/${id}`,
      body: { tag: '|' },
      status: 400,
    }
  }
  runScenarios(place, {
    ...refused,
    'are not there before a bot made them': { ask: `GET ${path}`, status: 404, code: 20009 },
    'are not made by a change': {
      ask: `PATCH ${path}`,
      body: { tag: '|' },
      status: 404,
      code: 20009,
    },
    'have their defaults once made, and do not repeat the guild': {
      given: makeSystemGuild,
      ask: `GET ${path}`,
      json: ofSystem,
    },
    'are of one guild only': {
      given: makeSystemGuild,
      ask: 'GET /v2/systems/@me/guilds/1',
      status: 404,
      code: 20009,
    },
    'are of one system only': {
      as: 'other',
      given: makeSystemGuild,
      ask: `GET ${path}`,
      status: 404,
      code: 20009,
    },
    'are for nobody': { as: 'nobody', given: makeSystemGuild, ask: `GET ${path}`, status: 401 },
    'answer a change with all of them, and tell what is new and where': {
      given: makeSystemGuild,
      ask: `PATCH ${path}`,
      body: {
        guild_id: '1',
        proxying_enabled: false,
        tag: '| here',
        tag_enabled: true,
        name_format: '{name}',
        display_name: '',
      },
      json: { ...ofSystem, proxying_enabled: false, tag: '| here', name_format: '{name}' },
      events: [
        [
          'UPDATE_SYSTEM_GUILD',
          null,
          { guild_id: GUILD, proxying_enabled: false, tag: '| here', name_format: '{name}' },
        ],
      ],
    },
    'tell nothing when nothing changes': {
      given: makeSystemGuild,
      ask: `PATCH ${path}`,
      body: ofSystem,
      json: ofSystem,
    },
    'tell every problem at once': {
      given: makeSystemGuild,
      ask: `PATCH ${path}`,
      body: { tag: 'x'.repeat(80), proxying_enabled: null, tag_enabled: 'yes', avatar_url: 'x' },
      status: 400,
      code: 40001,
      problems: ['tag', 'proxying_enabled', 'tag_enabled', 'avatar_url'],
    },
  })

  test('guilds do not mix', async () => {
    const world = await createFixture(place)
    await makeSystemGuild(world)
    await patchSystemGuild(place.deps, world.owner.id, '1', { tag: 'one' }, 'make')
    await patchSystemGuild(place.deps, world.other.id, GUILD, { tag: 'theirs' }, 'make')
    await world.do(`PATCH ${path}`, { tag: 'ours' })
    expect(await world.get(`GET ${path}`)).toMatchObject({ tag: 'ours' })
    expect(await world.get('GET /v2/systems/@me/guilds/1')).toMatchObject({ tag: 'one' })
    expect(await world.get(`GET ${path}`, 'other')).toMatchObject({ tag: 'theirs' })
  })
})

describe('a member’s settings in a guild', () => {
  const path = `/v2/members/<wren>/guilds/${GUILD}`
  const refused: Scenarios = {}
  for (const id of notIds) {
    refused[`are not in a guild called ${id}`] = {
      ask: `GET /v2/members/<wren>/guilds/${id}`,
      status: 400,
    }
    refused[`are not changed in a guild called ${id}`] = {
      ask: `PATCH /v2/members/<wren>/guilds/${id}`,
      body: { keep_proxy: true },
      status: 400,
    }
  }
  runScenarios(place, {
    ...refused,
    'are not there before a bot made them': { ask: `GET ${path}`, status: 404, code: 20010 },
    'are not made by a change': {
      ask: `PATCH ${path}`,
      body: { keep_proxy: true },
      status: 404,
      code: 20010,
    },
    'have their defaults once made, and do not repeat the guild': {
      given: makeMemberGuild,
      ask: `GET ${path}`,
      json: ofMember,
    },
    'are of one guild only': {
      given: makeMemberGuild,
      ask: 'GET /v2/members/<wren>/guilds/1',
      status: 404,
      code: 20010,
    },
    'are of one member only': {
      given: makeMemberGuild,
      ask: `GET /v2/members/<finch>/guilds/${GUILD}`,
      status: 404,
      code: 20010,
    },
    'are not said to another system to be there': {
      as: 'other',
      given: makeMemberGuild,
      ask: `GET ${path}`,
      status: 403,
      code: 30006,
    },
    'are not said to another system to be missing': {
      as: 'other',
      ask: `GET ${path}`,
      status: 403,
      code: 30006,
    },
    'are not changed by another system': {
      as: 'other',
      given: makeMemberGuild,
      ask: `PATCH ${path}`,
      body: { keep_proxy: true },
      status: 403,
      code: 30006,
    },
    'are for nobody': { as: 'nobody', given: makeMemberGuild, ask: `GET ${path}`, status: 401 },
    'are not those of an unknown member': {
      ask: `GET /v2/members/zzzzz/guilds/${GUILD}`,
      status: 404,
      code: 20002,
    },
    'answer a change with all of them, and tell what is new and where': {
      given: makeMemberGuild,
      ask: `PATCH ${path}`,
      body: { guild_id: '1', display_name: 'Wren here', avatar_url: null, keep_proxy: false },
      json: { ...ofMember, display_name: 'Wren here', keep_proxy: false },
      events: [
        [
          'UPDATE_MEMBER_GUILD',
          '<wren.uuid>',
          { guild_id: GUILD, display_name: 'Wren here', keep_proxy: false },
        ],
      ],
    },
    'tell nothing when nothing changes': {
      given: makeMemberGuild,
      ask: `PATCH ${path}`,
      body: ofMember,
      json: ofMember,
    },
    'tell every problem at once': {
      given: makeMemberGuild,
      ask: `PATCH ${path}`,
      body: { display_name: 'x'.repeat(101), avatar_url: 5, keep_proxy: 'no' },
      status: 400,
      code: 40001,
      problems: ['display_name', 'avatar_url', 'keep_proxy'],
    },
  })

  test('go with their member', async () => {
    const world = await createFixture(place)
    await makeMemberGuild(world)
    expect(await findMemberGuild(place.deps.db, world.wren.id, GUILD)).not.toBeNull()
    await world.do('DELETE /v2/members/<wren>')
    expect(await findMemberGuild(place.deps.db, world.wren.id, GUILD)).toBeNull()
    expect((await world.ask(`GET ${path}`)).json.code).toBe(20002)
  })
})
