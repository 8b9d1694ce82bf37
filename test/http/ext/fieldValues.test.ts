import fc from 'fast-check'
import { type CustomFieldType, customFieldTypes } from '../../../src/model/members/customField'
import { rounds } from '../../tools/rounds'
import { createFixture, type Fixture, type Json, stateOf } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

/** Few runs, because each sends requests. */
const RUNS = { numRuns: rounds(10) }

const digits = (value: number, length: number) => String(value).padStart(length, '0')
const isoDate = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())
const text = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }),
    fc.constantFrom('x'.repeat(4_000), ' ', '"\\\'', '\n\t', '🌱', '{"a":1}', 'null', 'true', '12'),
  )
  .filter((value) => !value.includes('\0'))

interface Samples {
  /** Values that are stored as they are. */
  valid: fc.Arbitrary<unknown>
  /** Values of the right JSON type that are refused. */
  invalid: readonly unknown[]
}

/** Options of the types `choice` and `choices`, as placeholders. */
const options = ['<keeper>', '<guard>', '<cook>']

const samples: Record<CustomFieldType, Samples> = {
  text: { valid: text, invalid: ['x'.repeat(4_001), 'a\0b', '\ud800'] },
  markdown: { valid: text, invalid: ['x'.repeat(4_001), 'a\0b', '\udc00'] },
  color: {
    valid: fc
      .integer({ min: 0, max: 0xffffff })
      .map((color) => color.toString(16).padStart(6, '0')),
    invalid: ['red', '#ff0000', 'ff00', 'ff00000', 'gg0000', ' ff0000'],
  },
  date: {
    valid: isoDate.map((date) => date.slice(0, 10)),
    invalid: ['2023-02-29', '1900-02-29', '2024-13-01', '2024-00-01', '2024-1-1', '0000-01-01'],
  },
  month: {
    valid: fc.integer({ min: 1, max: 12 }).map((month) => digits(month, 2)),
    invalid: ['00', '13', '1', '001', 'May', '-1'],
  },
  year: {
    valid: fc.integer({ min: 1, max: 9_999 }).map((year) => digits(year, 4)),
    invalid: ['0000', '99', '10000', '-100', '19 9'],
  },
  month_year: {
    valid: isoDate.map((date) => date.slice(0, 7)),
    invalid: ['2024-13', '2024-00', '2024', '12-2024', '2024-1'],
  },
  month_day: {
    valid: fc.oneof(
      isoDate.map((date) => date.slice(5, 10)),
      fc.constant('02-29'),
    ),
    invalid: ['02-30', '04-31', '13-01', '00-01', '1-1', '01-00'],
  },
  moment: {
    valid: isoDate.map((date) => date.slice(0, 16)),
    invalid: [
      '2024-01-01T24:00',
      '2024-01-01T23:60',
      '2024-02-30T10:00',
      '2024-01-01 10:00',
      '2024-01-01T10:00Z',
      '2024-01-01T10:00:00',
    ],
  },
  number: {
    valid: fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value) => (value === 0 ? 0 : value)),
    invalid: ['1', true, 'NaN'],
  },
  flag: { valid: fc.boolean(), invalid: ['true', 'yes', 0, 1] },
  url: {
    valid: fc
      .webUrl({ withQueryParameters: true, withFragments: true })
      .filter((url) => url.length <= 256),
    invalid: [
      'example.com',
      'ftp://example.com',
      'javascript:alert(1)',
      'https://',
      `https://example.com/${'x'.repeat(256)}`,
    ],
  },
  choice: { valid: fc.constantFrom(...options), invalid: ['Keeper', ['<keeper>'], '<text>'] },
  choices: {
    valid: fc.shuffledSubarray(options, { minLength: 1 }),
    invalid: ['<keeper>', ['<keeper>', '<keeper>'], ['<keeper>', 'Guard'], [null], [['<keeper>']]],
  },
}

/** JSON values that no type accepts. */
const neverValid: readonly unknown[] = [{}, { id: '<keeper>' }, [1], [{}], [[]]]

/** Creates a system with a field of each of these types, whose placeholder is the type's name. */
async function createFields(types: readonly CustomFieldType[]): Promise<Fixture> {
  const fixture = await createFixture(testApp)
  for (const type of types) {
    const names = ['Keeper', 'Guard', 'Cook'].map((name) => ({ name }))
    const field = await fixture.do<{ id: string; options: { id: string }[] | null }>(
      'POST /ext/v1/systems/@me/fields',
      { name: type, type, ...(type.startsWith('choice') && { options: names }) },
    )
    fixture.remember(type, field.id)
  }
  return fixture
}

/** Makes the options of a field available as placeholders. */
async function useOptionsOf(fixture: Fixture, type: CustomFieldType): Promise<void> {
  const fields = await fixture.get<{ type: string; options: { id: string }[] | null }[]>(
    'GET /ext/v1/systems/@me/fields',
  )
  const known = fields.find((field) => field.type === (type === 'choices' ? type : 'choice'))
  for (const [at, name] of ['keeper', 'guard', 'cook'].entries())
    fixture.remember(name, known?.options?.[at]?.id)
}

const created = createFields(customFieldTypes)

const readValue = async (fixture: Fixture, type: string) =>
  (await fixture.get<{ fields: Json }>('GET /ext/v1/members/<wren>')).fields[
    fixture.fill(`<${type}>`)
  ]

describe('values of custom fields', () => {
  for (const type of customFieldTypes) {
    const set = (fixture: Fixture, value: unknown) =>
      fixture.ask<Json>('PATCH /ext/v1/members/<wren>', { fields: { [`<${type}>`]: value } })

    test(`a value of type ${type} is returned as it was sent`, async () => {
      const fixture = await created
      await useOptionsOf(fixture, type)
      await fc.assert(
        fc.asyncProperty(samples[type].valid, async (value) => {
          // Not filled, because a text may look like a placeholder.
          const sent = type.startsWith('choice') ? fixture.fill(value) : value
          const { status, text: body } = await testApp.ask(
            fixture.fill('PATCH /ext/v1/members/<wren>'),
            { as: fixture.owner, body: { fields: { [fixture.fill(`<${type}>`)]: sent } } },
          )
          expect(status, body).toBe(200)
          expect(await readValue(fixture, type)).toEqual(sent)
          const { json } = await testApp.ask<{ fields: Json }[]>(
            'GET /ext/v1/systems/@me/members',
            { as: fixture.owner },
          )
          expect(json[0]?.fields[fixture.fill(`<${type}>`)]).toEqual(sent)
        }),
        RUNS,
      )
    })

    test(`a bad value of type ${type} is named, and nothing is stored`, async () => {
      const fixture = await created
      await useOptionsOf(fixture, type)
      const { version } = await stateOf(testApp)
      for (const value of [...samples[type].invalid, ...neverValid]) {
        const { status, json } = await set(fixture, value)
        const what = `${type} ${JSON.stringify(value)}`
        expect({ what, status, code: json.code }).toEqual({ what, status: 400, code: 40001 })
        expect(Object.keys(json.errors as Json)).toEqual([fixture.fill(`fields.<${type}>`)])
      }
      expect((await stateOf(testApp)).version).toBe(version)
    })

    test(`null, and what is empty, deletes a value of type ${type}`, async () => {
      const fixture = await created
      await useOptionsOf(fixture, type)
      for (const empty of [null, '', ...(type === 'choices' ? [[]] : [])]) {
        const [value] = fc.sample(samples[type].valid, { numRuns: 1, seed: 1 })
        await set(fixture, value)
        expect(await readValue(fixture, type)).toBeDefined()
        expect((await set(fixture, empty)).status).toBe(200)
        expect(await readValue(fixture, type)).toBeUndefined()
      }
    })
  }

  test('one bad value among good ones stores none of them', async () => {
    const fixture = await created
    const before = await fixture.get('GET /ext/v1/members/<finch>')
    const { json } = await fixture.ask('PATCH /ext/v1/members/<finch>', {
      member: { color: 'ff0000' },
      kind: 'custom_front',
      fields: { '<text>': 'Keeper', '<number>': 'many', '<date>': '2024-02-30', '<flag>': true },
    })
    expect(Object.keys(json.errors as Json).toSorted()).toEqual(
      fixture.fill(['fields.<number>', 'fields.<date>']).toSorted(),
    )
    expect(await fixture.get('GET /ext/v1/members/<finch>')).toEqual(before)
  })
})

/** Type, value, and the text that it becomes. */
const conversions: [CustomFieldType, unknown, string][] = [
  ['markdown', '**Keeper**', '**Keeper**'],
  ['color', '88C0A8', '88c0a8'],
  ['date', '2024-02-29', '2024-02-29'],
  ['month', '02', '02'],
  ['year', '1999', '1999'],
  ['month_year', '1999-12', '1999-12'],
  ['month_day', '02-29', '02-29'],
  ['moment', '1999-12-31T23:59', '1999-12-31T23:59'],
  ['number', 1.5, '1.5'],
  ['flag', false, 'false'],
  ['url', 'https://example.com', 'https://example.com'],
  ['choice', '<guard>', 'Guard'],
  ['choices', ['<cook>', '<keeper>'], 'Cook, Keeper'],
]

describe('changes of the type with values', () => {
  test.each(conversions)('%s becomes text: %p', async (type, value, asText) => {
    const fixture = await createFields([type])
    await useOptionsOf(fixture, type)
    await fixture.do('PATCH /ext/v1/members/<wren>', { fields: { [`<${type}>`]: value } })
    const stored = await readValue(fixture, type)
    for (const other of customFieldTypes.filter((one) => one !== type && !isTextType(one))) {
      const more = other.startsWith('choice') ? { options: [{ name: 'A' }] } : {}
      const { status, json } = await fixture.ask(`PATCH /ext/v1/fields/<${type}>`, {
        type: other,
        ...more,
      })
      expect({ other, status, code: json.code }).toEqual({ other, status: 400, code: 49004 })
    }
    expect(await readValue(fixture, type)).toEqual(stored)
    await fixture.do(`PATCH /ext/v1/fields/<${type}>`, { type: 'text' })
    expect(await readValue(fixture, type)).toBe(asText)
  })

  test('a field without values takes every type', async () => {
    const fixture = await createFields(['text'])
    for (const type of [...customFieldTypes, ...customFieldTypes.toReversed()]) {
      const more = type.startsWith('choice') ? { options: [{ name: 'A' }] } : {}
      expect(await fixture.do('PATCH /ext/v1/fields/<text>', { type, ...more })).toMatchObject({
        type,
        options: type.startsWith('choice') ? [{ name: 'A' }] : null,
      })
    }
  })
})

function isTextType(type: CustomFieldType): boolean {
  return type === 'text' || type === 'markdown'
}
