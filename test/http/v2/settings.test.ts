import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { systemSettings } from '../../../src/db/tables'
import { settings } from '../../../src/model/settings'
import { createFixture, initialOf, runScenarios } from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const defaults = initialOf(settings)
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

describe('the settings of a system', () => {
  runScenarios(place, {
    'are all shown to their owner, as they are for a new system': {
      ask: 'GET /v2/systems/@me/settings',
      json: defaults,
    },
    'are all shown to their owner who goes by the name of the system': {
      ask: 'GET /v2/systems/<own.upperDashed>/settings',
      json: defaults,
    },
    'show some keys to everyone else, and nothing beside them': {
      as: ['other', 'nobody'],
      ask: 'GET /v2/systems/<own>/settings',
      json: publicDefaults,
    },
    'show the same keys when all was changed': {
      as: ['other', 'nobody'],
      given: (world) => world.do(patch, changed),
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
    'are each whoever’s who asks by @me': {
      as: 'other',
      given: (world) => world.do(patch, changed),
      ask: 'GET /v2/systems/@me/settings',
      json: defaults,
    },
    'need somebody for @me': { as: 'nobody', ask: 'GET /v2/systems/@me/settings', status: 401 },
  })
})

describe('changing settings', () => {
  runScenarios(place, {
    'answers all of them, and tells those that are new': {
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
      after: async (world) =>
        expect(await world.get('GET /v2/systems/@me/settings')).toEqual({
          ...defaults,
          ...changed,
          pings_enabled: true,
        }),
    },
    'to what they are tells nothing': { ask: patch, body: defaults, json: defaults },
    'of the limits alone changes nothing': {
      ask: patch,
      body: { member_limit: 5, group_limit: 5 },
      status: 400,
    },
    'of the name format to nothing restores the default': {
      given: (world) => world.do(patch, changed),
      ask: patch,
      body: { name_format: null },
      has: { name_format: '{name} {tag}' },
      events: [['UPDATE_SETTINGS', null, { name_format: '{name} {tag}' }]],
    },
    'takes nothing among the templates as an empty one': {
      ask: patch,
      body: { description_templates: ['Likes:', null, null] },
      has: { description_templates: ['Likes:', '', ''] },
      events: [['UPDATE_SETTINGS', null, { description_templates: ['Likes:', '', ''] }]],
    },
    'of the latch timeout knows never from the default': {
      given: (world) => world.do(patch, changed),
      ask: patch,
      body: { latch_timeout: null },
      has: { latch_timeout: null },
      events: [['UPDATE_SETTINGS', null, { latch_timeout: null }]],
    },
    'is for nobody else': {
      as: 'other',
      ask: 'PATCH /v2/systems/<own>/settings',
      body: changed,
      status: 403,
      message: '403: Missing permissions to access this resource',
    },
    'tells every problem at once': {
      ask: patch,
      body: { timezone: null, hid_list_padding: 'middle', latch_timeout: -1, pings_enabled: true },
      status: 400,
      code: 40001,
      problems: ['timezone', 'hid_list_padding', 'latch_timeout'],
    },
  })

  test('the limits that an operator set are shown', async () => {
    const world = await createFixture(place)
    await place.deps.transact('new', async (tx) => {
      await tx
        .update(systemSettings)
        .set({ member_limit: 2000, group_limit: 500 })
        .where(eq(systemSettings.system_id, world.owner.id))
    })
    const shown = { member_limit: 2000, group_limit: 500 }
    expect(await world.get('GET /v2/systems/@me/settings')).toMatchObject(shown)
    expect(await world.do(patch, { member_limit: 1, pings_enabled: false })).toMatchObject(shown)
  })
})
