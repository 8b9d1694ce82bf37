import { type Fixture, runScenarios, type Scenarios } from '../../../tools/scenarios'
import { describe } from '../../../tools/test'
import { createTestApp } from '../../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const SPAN = 'since=2024-01-01T00:00:00Z&until=2024-01-03T00:00:00Z'
const of = (read: string) => `GET /v2/systems/<own>/fronting/${read}?${SPAN}`

/** Finch is a custom front: Wren and Finch are in front for a day, then Finch alone. */
const withCustomFront = (fixture: Fixture) =>
  fixture.do('PATCH /ext/v1/members/<finch>', { kind: 'custom_front' })

/** Reads that name the members, and texts that each kind shows and hides. */
const kinds: [query: string, shown: string[], hidden: string[]][] = [
  ['', ['<wren>', '<finch>'], []],
  ['&kind=members', ['<wren>'], ['<finch>']],
  ['&kind=custom_fronts', ['<finch>'], ['<wren>']],
]

const byKind: Scenarios = {}
for (const read of ['stints', 'totals', 'days', 'hours'])
  for (const [query, shown, hidden] of kinds)
    byKind[`fronting/${read}${query && `?${query.slice(1)}`} names ${shown.join(' and ')}`] = {
      as: ['owner', 'other', 'anonymous'],
      given: withCustomFront,
      ask: `${of(read)}${query}`,
      lacks: hidden.map((name) => `"${name}"`),
      async after(fixture, { text }) {
        const missing = shown.filter((name) => !text.includes(`"${fixture.fill(name)}"`))
        if (missing.length > 0) throw new Error(`${missing.join()} is not named: ${text}`)
      },
    }

const badValues: Scenarios = {}
for (const read of ['stints', 'totals', 'days', 'hours', 'pairs'])
  for (const bad of ['member', 'MEMBERS', '', 'members,custom_fronts', 'members&kind=members'])
    badValues[`fronting/${read} refuses kind=${bad}`] = {
      ask: `${of(read)}&kind=${bad}`,
      status: 400,
      message: /kind/,
    }

describe('fronting by the kind of members', () => {
  runScenarios(testApp, {
    ...byKind,
    ...badValues,
    'fronting/pairs pairs a member with a custom front': {
      given: withCustomFront,
      ask: of('pairs'),
      has: [{ time: 86400 }],
    },
    'fronting/pairs pairs no member with a custom front when only members are asked for': {
      given: withCustomFront,
      ask: `${of('pairs')}&kind=members`,
      json: [],
    },
    'fronting/totals counts time with custom fronts only as time without members': {
      given: withCustomFront,
      ask: `${of('totals')}&kind=members`,
      has: { nobody: 50399, members: [{ member: '<wren>', time: 86400, stints: 1 }] },
    },
  })
})
