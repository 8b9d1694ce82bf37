import fc from 'fast-check'
import { findExcess, type JsonLimits } from '../../src/model/core/jsonLimits'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'

const none: JsonLimits = { objectKeys: Infinity, keys: Infinity }
const check = (text: string, limits: Partial<JsonLimits>) =>
  findExcess(new TextEncoder().encode(text), { ...none, ...limits })

/** Counts the keys of the parsed JSON: of the largest object, and of all objects together. */
function countKeys(value: unknown): { largest: number; all: number } {
  if (typeof value !== 'object' || value === null) return { largest: 0, all: 0 }
  const direct = Array.isArray(value) ? 0 : Object.keys(value).length
  const parts = Object.values(value).map(countKeys)
  return {
    largest: Math.max(direct, ...parts.map(({ largest }) => largest)),
    all: parts.reduce((sum, { all }) => sum + all, direct),
  }
}

describe('findExcess', () => {
  test('counts the same keys as a JSON parser', () => {
    const strings = fc.oneof(fc.string(), fc.stringMatching(/^[":{}[\],\\ né😀]{0,8}$/u))
    const values = fc.jsonValue({ stringUnit: 'binary' })
    const json = fc.oneof(values, fc.dictionary(strings, fc.oneof(strings, values)))
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const { largest, all } = countKeys(JSON.parse(text))
        expect(check(text, { objectKeys: largest, keys: all })).toBeNull()
        if (all === 0) return
        expect(check(text, { objectKeys: largest - 1 })).toBe('objectKeys')
        expect(check(text, { keys: all - 1 })).toBe('keys')
      }),
      { numRuns: rounds(40) },
    )
  })

  const cases: [text: string, limits: Partial<JsonLimits>, excess: keyof JsonLimits | null][] = [
    ['{"a:b{":"\\":\\\\","c":":::"}', { objectKeys: 2, keys: 2 }, null],
    ['{"a":{"b":1,"c":2},"d":3}', { objectKeys: 2, keys: 4 }, null],
    ['{"a":{"b":1,"c":2},"d":3,"e":4}', { objectKeys: 2 }, 'objectKeys'],
    ['[{"a":1},{"a":1},{"a":1}]', { objectKeys: 1, keys: 2 }, 'keys'],
    ['{"a":1,"a":2}', { objectKeys: 1 }, 'objectKeys'],
    ['[[[]]]', { nesting: 3 }, null],
    ['[[[[', { nesting: 3 }, 'nesting'],
    ['[1,2,3]', { values: 3 }, null],
    ['[1,2,3,4]', { values: 3 }, 'values'],
    ['', { objectKeys: 0 }, null],
    ['}}]]{"a":1', { objectKeys: 0 }, 'objectKeys'],
    ['"without an end: {', { objectKeys: 0, nesting: 0 }, null],
    ['"without an end: \\', { objectKeys: 0 }, null],
  ]

  test.each(cases)('checks %s against the limits %j and returns %s', (text, limits, excess) => {
    expect(check(text, limits)).toBe(excess)
  })
})
