import { eq } from 'drizzle-orm'
import { systemSettings } from '../../../src/db/tables'
import { settings } from '../../../src/model/systems/settings'
import { drizzleOn } from '../../tools/drizzle'
import { createFixture, defaultsOf, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const defaults = defaultsOf(settings)
const publicDefaults = Object.fromEntries(
  settings.entries
    .filter(([, { ownerOnly }]) => !ownerOnly)
    .map(([key, { defaultValue }]) => [key, defaultValue]),
)

const changed = {
  timezone: 'America/Argentina/Buenos_Aires',
  pings_enabled: false,
  latch_timeout: 0,
  member_default_private: true,
  group_default_private: true,
  show_private_info: false,
  case_sensitive_proxy_tags: false,
  proxy_error_message_enabled: false,
  hid_display_split: true,
  hid_display_caps: true,
  hid_list_padding: 'right',
  proxy_switch: 'add',
  name_format: '{tag} {name}',
  description_templates: ['Likes:', 'Dislikes:'],
}

const patch = 'PATCH /v2/systems/@me/settings'

describe('reading the settings of a system', () => {
  runScenarios(testApp, {
    'GET /v2/systems/@me/settings returns the defaults of a new system': {
      ask: 'GET /v2/systems/@me/settings',
      json: defaults,
    },
    'GET /v2/systems/{id}/settings returns all settings to the owner': {
      ask: 'GET /v2/systems/<own.upperDashed>/settings',
      json: defaults,
    },
    'GET /v2/systems/{id}/settings returns only public settings to other callers': {
      as: ['other', 'anonymous'],
      ask: 'GET /v2/systems/<own>/settings',
      json: publicDefaults,
    },
    'GET /v2/systems/{id}/settings returns only public settings after all were changed': {
      as: ['other', 'anonymous'],
      given: (fixture) => fixture.do(patch, changed),
      ask: 'GET /v2/systems/<own>/settings',
      json: {
        pings_enabled: false,
        latch_timeout: 0,
        case_sensitive_proxy_tags: false,
        proxy_error_message_enabled: false,
        hid_display_split: true,
        hid_display_caps: true,
        hid_list_padding: 'right',
        proxy_switch: 'add',
        name_format: '{tag} {name}',
      },
      lacks: ['Buenos_Aires', 'Likes'],
    },
    'GET /v2/systems/@me/settings returns the settings of the caller': {
      as: 'other',
      given: (fixture) => fixture.do(patch, changed),
      ask: 'GET /v2/systems/@me/settings',
      json: defaults,
    },
    'GET /v2/systems/@me/settings requires a token': {
      as: 'anonymous',
      ask: 'GET /v2/systems/@me/settings',
      status: 401,
    },
  })
})

describe('changing settings', () => {
  runScenarios(testApp, {
    'PATCH settings returns all settings and records the changed ones': {
      ask: patch,
      body: { ...changed, pings_enabled: true, member_limit: 5, id: 'x' },
      json: { ...defaults, ...changed, pings_enabled: true },
      events: [
        [
          'UPDATE_SETTINGS',
          null,
          Object.fromEntries(Object.entries(changed).filter(([key]) => key !== 'pings_enabled')),
        ],
      ],
      after: async (fixture) =>
        expect(await fixture.get('GET /v2/systems/@me/settings')).toEqual({
          ...defaults,
          ...changed,
          pings_enabled: true,
        }),
    },
    'PATCH settings records no event when nothing changes': {
      ask: patch,
      body: defaults,
      json: defaults,
    },
    'PATCH settings refuses a body with nothing but limits': {
      ask: patch,
      body: { member_limit: 5, group_limit: 5 },
      status: 400,
    },
    'PATCH settings restores the default name format when it is null': {
      given: (fixture) => fixture.do(patch, changed),
      ask: patch,
      body: { name_format: null },
      has: { name_format: '{name} {tag}' },
      events: [['UPDATE_SETTINGS', null, { name_format: '{name} {tag}' }]],
    },
    'PATCH settings stores null among the description templates as an empty text': {
      ask: patch,
      body: { description_templates: ['Likes:', null, null] },
      has: { description_templates: ['Likes:', '', ''] },
      events: [['UPDATE_SETTINGS', null, { description_templates: ['Likes:', '', ''] }]],
    },
    'PATCH settings stores a latch timeout of null instead of the default': {
      given: (fixture) => fixture.do(patch, changed),
      ask: patch,
      body: { latch_timeout: null },
      has: { latch_timeout: null },
      events: [['UPDATE_SETTINGS', null, { latch_timeout: null }]],
    },
    'PATCH settings of another system is refused': {
      as: 'other',
      ask: 'PATCH /v2/systems/<own>/settings',
      body: changed,
      status: 403,
      message: '403: Missing permissions to access this resource',
    },
    'PATCH settings reports all problems at once': {
      ask: patch,
      body: { timezone: null, hid_list_padding: 'middle', latch_timeout: -1, pings_enabled: true },
      status: 400,
      code: 40001,
      problems: ['timezone', 'hid_list_padding', 'latch_timeout'],
    },
  })

  test('settings show the limits that an operator set, and PATCH keeps them', async () => {
    const fixture = await createFixture(testApp)
    await testApp.deps.transact('new', async (tx) => {
      await drizzleOn(tx)
        .update(systemSettings)
        .set({ member_limit: 2000, group_limit: 500 })
        .where(eq(systemSettings.system_id, fixture.owner.id))
    })
    const limits = { member_limit: 2000, group_limit: 500 }
    expect(await fixture.get('GET /v2/systems/@me/settings')).toMatchObject(limits)
    expect(await fixture.do(patch, { member_limit: 1, pings_enabled: false })).toMatchObject(limits)
  })
})
