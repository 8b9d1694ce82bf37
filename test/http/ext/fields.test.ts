import { type Fixture, type Json, runScenarios } from '../../tools/scenarios'
import { describe, expect } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

/** Creates the field `<role>` with the options `<keeper>` and `<guard>`, and a value of Wren. */
async function withRole(fixture: Fixture): Promise<void> {
  const { id, options } = await fixture.do<{ id: string; options: Json[] }>(
    'POST /ext/v1/systems/@me/fields',
    { name: 'Role', type: 'choices', options: [{ name: 'Keeper' }, { name: 'Guard' }] },
  )
  fixture.remember('role', id)
  fixture.remember('keeper', options[0]?.id)
  fixture.remember('guard', options[1]?.id)
  await fixture.do('PATCH /ext/v1/members/<wren>', {
    fields: { '<role>': ['<keeper>', '<guard>'] },
  })
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const valueOfWren = async (fixture: Fixture) =>
  (await fixture.get<{ fields: Json }>('GET /ext/v1/members/<wren>')).fields[fixture.fill('<role>')]

describe('custom fields', () => {
  runScenarios(testApp, {
    'a field is added at the end': {
      given: withRole,
      ask: 'POST /ext/v1/systems/@me/fields',
      body: { name: 'Age', type: 'number' },
      status: 201,
      has: { name: 'Age', type: 'number', options: null, privacy: 'private', position: 1 },
      events: [['CREATE_FIELD', expect.any(String), { keys: ['name', 'type'] }]],
    },
    'choices need options': {
      ask: 'POST /ext/v1/systems/@me/fields',
      body: { name: 'Role', type: 'choice' },
      status: 400,
      code: 40001,
      problems: ['options'],
    },
    'a type without its options is named beside other problems': {
      ask: 'POST /ext/v1/systems/@me/fields',
      body: { name: '', type: 'choice' },
      status: 400,
      code: 40001,
      problems: ['name', 'options'],
    },
    'options that the type cannot have are named with their own problems': {
      given: withRole,
      ask: 'PATCH /ext/v1/fields/<role>',
      body: {
        name: 3,
        type: 'text',
        options: [
          { id: UNKNOWN, name: '' },
          { name: 'Guard', color: 1 },
        ],
      },
      status: 400,
      code: 40001,
      problems: ['name', 'options', 'options.0.id', 'options.0.name', 'options.1.color'],
    },
    'an option that is named twice is refused at its place': {
      given: withRole,
      ask: 'PATCH /ext/v1/fields/<role>',
      body: {
        options: [
          { id: '<guard>', name: 'Guard' },
          { id: '<guard>', name: 'Watch' },
        ],
      },
      status: 400,
      code: 40001,
      problems: ['options.1.id'],
    },
    'a removed option leaves all values': {
      given: withRole,
      ask: 'PATCH /ext/v1/fields/<role>',
      body: { options: [{ id: '<guard>', name: 'Watch' }] },
      has: { options: [{ id: '<guard>', name: 'Watch' }] },
      events: [['UPDATE_FIELD', '<role>', { keys: ['options'], cleared: 1 }]],
      after: async (fixture) => {
        expect(await valueOfWren(fixture)).toEqual([fixture.fill('<guard>')])
      },
    },
    'values become text': {
      given: withRole,
      ask: 'PATCH /ext/v1/fields/<role>',
      body: { type: 'text' },
      has: { type: 'text', options: null },
      events: [['UPDATE_FIELD', '<role>', { keys: ['type', 'options'], cleared: 1 }]],
      after: async (fixture) => {
        expect(await valueOfWren(fixture)).toBe('Keeper, Guard')
      },
    },
    'another type is refused while members have values': {
      given: withRole,
      ask: 'PATCH /ext/v1/fields/<role>',
      body: { type: 'number' },
      status: 400,
      code: 49004,
    },
    'a field of another system is not found': {
      given: withRole,
      as: 'other',
      ask: 'DELETE /ext/v1/fields/<role>',
      status: 404,
      code: 29001,
    },
    'a deleted field deletes its values': {
      given: withRole,
      ask: 'DELETE /ext/v1/fields/<role>',
      status: 204,
      events: [['DELETE_FIELD', '<role>', null]],
      after: async (fixture) => {
        expect(await fixture.get('GET /ext/v1/members/<wren>')).toMatchObject({ fields: {} })
      },
    },
  })
})
