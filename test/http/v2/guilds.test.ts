import { memberGuild, systemGuild } from '../../../src/model/proxy/guild'
import { findMemberGuild } from '../../../src/store/proxy/guildRows'
import { patchMemberGuild, patchSystemGuild } from '../../tools/operatorActions'
import {
  createFixture,
  defaultsOf,
  type Fixture,
  runScenarios,
  type Scenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const GUILD = '18446744073709551615'

const systemDefaults = defaultsOf(systemGuild)
const memberDefaults = defaultsOf(memberGuild)

const createSystemGuild = ({ owner }: Fixture) =>
  patchSystemGuild(testApp.deps, owner.id, GUILD, {}, 'create')
const createMemberGuild = ({ wren }: Fixture) =>
  patchMemberGuild(testApp.deps, wren, GUILD, {}, 'create')

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

describe('system guild settings', () => {
  const path = `/v2/systems/@me/guilds/${GUILD}`
  const refused: Scenarios = {}
  for (const id of notIds) {
    refused[`GET system guild settings refuses the guild ID ${id}`] = {
      ask: `GET /v2/systems/@me/guilds/${id}`,
      status: 400,
    }
    refused[`PATCH system guild settings refuses the guild ID ${id}`] = {
      ask: `PATCH /v2/systems/@me/guilds/${id}`,
      body: { tag: '|' },
      status: 400,
    }
  }
  runScenarios(testApp, {
    ...refused,
    'GET system guild settings returns 404 before a bot created them': {
      ask: `GET ${path}`,
      status: 404,
      code: 20009,
    },
    'PATCH system guild settings returns 404 before a bot created them': {
      ask: `PATCH ${path}`,
      body: { tag: '|' },
      status: 404,
      code: 20009,
    },
    'GET system guild settings returns the defaults without the guild ID': {
      given: createSystemGuild,
      ask: `GET ${path}`,
      json: systemDefaults,
    },
    'GET system guild settings returns 404 for another guild': {
      given: createSystemGuild,
      ask: 'GET /v2/systems/@me/guilds/1',
      status: 404,
      code: 20009,
    },
    'GET system guild settings returns 404 to another system': {
      as: 'other',
      given: createSystemGuild,
      ask: `GET ${path}`,
      status: 404,
      code: 20009,
    },
    'GET system guild settings requires a token': {
      as: 'anonymous',
      given: createSystemGuild,
      ask: `GET ${path}`,
      status: 401,
    },
    'PATCH system guild settings returns all of them and records the changes with the guild ID': {
      given: createSystemGuild,
      ask: `PATCH ${path}`,
      body: {
        guild_id: '1',
        proxying_enabled: false,
        tag: '| here',
        tag_enabled: true,
        name_format: '{name}',
        display_name: '',
      },
      json: { ...systemDefaults, proxying_enabled: false, tag: '| here', name_format: '{name}' },
      events: [
        [
          'UPDATE_SYSTEM_GUILD',
          null,
          { guild_id: GUILD, proxying_enabled: false, tag: '| here', name_format: '{name}' },
        ],
      ],
    },
    'PATCH system guild settings records no event when nothing changes': {
      given: createSystemGuild,
      ask: `PATCH ${path}`,
      body: systemDefaults,
      json: systemDefaults,
    },
    'PATCH system guild settings reports all problems at once': {
      given: createSystemGuild,
      ask: `PATCH ${path}`,
      body: { tag: 'x'.repeat(80), proxying_enabled: null, tag_enabled: 'yes', avatar_url: 'x' },
      status: 400,
      code: 40001,
      problems: ['tag', 'proxying_enabled', 'tag_enabled', 'avatar_url'],
    },
  })

  test('PATCH system guild settings does not change other guilds or systems', async () => {
    const fixture = await createFixture(testApp)
    await createSystemGuild(fixture)
    await patchSystemGuild(testApp.deps, fixture.owner.id, '1', { tag: 'one' }, 'create')
    await patchSystemGuild(testApp.deps, fixture.other.id, GUILD, { tag: 'theirs' }, 'create')
    await fixture.do(`PATCH ${path}`, { tag: 'ours' })
    expect(await fixture.get(`GET ${path}`)).toMatchObject({ tag: 'ours' })
    expect(await fixture.get('GET /v2/systems/@me/guilds/1')).toMatchObject({ tag: 'one' })
    expect(await fixture.get(`GET ${path}`, 'other')).toMatchObject({ tag: 'theirs' })
  })
})

describe('member guild settings', () => {
  const path = `/v2/members/<wren>/guilds/${GUILD}`
  const refused: Scenarios = {}
  for (const id of notIds) {
    refused[`GET member guild settings refuses the guild ID ${id}`] = {
      ask: `GET /v2/members/<wren>/guilds/${id}`,
      status: 400,
    }
    refused[`PATCH member guild settings refuses the guild ID ${id}`] = {
      ask: `PATCH /v2/members/<wren>/guilds/${id}`,
      body: { keep_proxy: true },
      status: 400,
    }
  }
  runScenarios(testApp, {
    ...refused,
    'GET member guild settings returns 404 before a bot created them': {
      ask: `GET ${path}`,
      status: 404,
      code: 20010,
    },
    'PATCH member guild settings returns 404 before a bot created them': {
      ask: `PATCH ${path}`,
      body: { keep_proxy: true },
      status: 404,
      code: 20010,
    },
    'GET member guild settings returns the defaults without the guild ID': {
      given: createMemberGuild,
      ask: `GET ${path}`,
      json: memberDefaults,
    },
    'GET member guild settings returns 404 for another guild': {
      given: createMemberGuild,
      ask: 'GET /v2/members/<wren>/guilds/1',
      status: 404,
      code: 20010,
    },
    'GET member guild settings returns 404 for another member': {
      given: createMemberGuild,
      ask: `GET /v2/members/<finch>/guilds/${GUILD}`,
      status: 404,
      code: 20010,
    },
    'GET member guild settings returns 403 to another system when they exist': {
      as: 'other',
      given: createMemberGuild,
      ask: `GET ${path}`,
      status: 403,
      code: 30006,
    },
    'GET member guild settings returns 403 to another system when they do not exist': {
      as: 'other',
      ask: `GET ${path}`,
      status: 403,
      code: 30006,
    },
    'PATCH member guild settings returns 403 to another system': {
      as: 'other',
      given: createMemberGuild,
      ask: `PATCH ${path}`,
      body: { keep_proxy: true },
      status: 403,
      code: 30006,
    },
    'GET member guild settings requires a token': {
      as: 'anonymous',
      given: createMemberGuild,
      ask: `GET ${path}`,
      status: 401,
    },
    'GET member guild settings returns 404 for an unknown member': {
      ask: `GET /v2/members/zzzzz/guilds/${GUILD}`,
      status: 404,
      code: 20002,
    },
    'PATCH member guild settings returns all of them and records the changes with the guild ID': {
      given: createMemberGuild,
      ask: `PATCH ${path}`,
      body: { guild_id: '1', display_name: 'Wren here', avatar_url: null, keep_proxy: false },
      json: { ...memberDefaults, display_name: 'Wren here', keep_proxy: false },
      events: [
        [
          'UPDATE_MEMBER_GUILD',
          '<wren.uuid>',
          { guild_id: GUILD, display_name: 'Wren here', keep_proxy: false },
        ],
      ],
    },
    'PATCH member guild settings records no event when nothing changes': {
      given: createMemberGuild,
      ask: `PATCH ${path}`,
      body: memberDefaults,
      json: memberDefaults,
    },
    'PATCH member guild settings reports all problems at once': {
      given: createMemberGuild,
      ask: `PATCH ${path}`,
      body: { display_name: 'x'.repeat(101), avatar_url: 5, keep_proxy: 'no' },
      status: 400,
      code: 40001,
      problems: ['display_name', 'avatar_url', 'keep_proxy'],
    },
  })

  test('member guild settings are deleted with their member', async () => {
    const fixture = await createFixture(testApp)
    await createMemberGuild(fixture)
    expect(await findMemberGuild(testApp.deps.db, fixture.wren.id, GUILD)).not.toBeNull()
    await fixture.do('DELETE /v2/members/<wren>')
    expect(await findMemberGuild(testApp.deps.db, fixture.wren.id, GUILD)).toBeNull()
    expect((await fixture.ask(`GET ${path}`)).json.code).toBe(20002)
  })
})
