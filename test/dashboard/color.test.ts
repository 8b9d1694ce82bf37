import fc from 'fast-check'
import { contrast, textOn } from '../../src/dashboard/lib/color'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => value.toString(16).padStart(6, '0'))

describe('textOn', () => {
  test('textOn returns black or white with enough contrast on any colour', () => {
    fc.assert(
      fc.property(color, (own) => {
        expect(contrast(own, textOn(own))).toBeGreaterThanOrEqual(4.58)
      }),
      { numRuns: rounds(1000) },
    )
  })

  test.each([
    ['000000', '#ffffff'],
    ['ffffff', '#000000'],
    ['6a4c9c', '#ffffff'],
    ['f2d15e', '#000000'],
  ] as const)('textOn returns for #%s the text colour %s', (own, expected) =>
    expect(textOn(own)).toBe(expected),
  )

  test('contrast of black and white is 21', () => expect(contrast('000000', 'ffffff')).toBe(21))
})
