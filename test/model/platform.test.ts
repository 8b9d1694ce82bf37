import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  bareId,
  DISCORD,
  formatId,
  isIdOf,
  isPlatform,
  normalizeId,
  type PlatformId,
  parseId,
  platformOf,
} from '../../src/model/platform'

describe('the name of a platform', () => {
  const given: [says: string, text: string, is: boolean][] = [
    ['two letters are one', 'qq', true],
    ['20 letters are one', 'a'.repeat(20), true],
    ['21 letters are none', 'a'.repeat(21), false],
    ['one letter is none', 'x', false],
    ['digits and dashes are in some', 'xmpp-2', true],
    ['a digit is the beginning of none', '4chan', false],
    ['a dash is the beginning of none', '-irc', false],
    ['upper case is in none', 'Matrix', false],
    ['other letters are in none', 'mátrix', false],
    ['a colon is in none', 'a:b', false],
    ['a line break is in none', 'irc\n', false],
    ['nothing is none', '', false],
  ]

  test.each(given)('%s: %p', (_, text, is) => {
    expect(isPlatform(text)).toBe(is)
  })
})

describe('an ID of Discord', () => {
  const given: [says: string, text: string, is: boolean][] = [
    ['one digit is one', '0', true],
    ['18 digits are one', '123456789012345678', true],
    ['the largest of 64 bits is one', '18446744073709551615', true],
    ['one more is none', '18446744073709551616', false],
    ['20 nines are none', '9'.repeat(20), false],
    ['21 digits are none, even zeros', '0'.repeat(21), false],
    ['20 digits with leading zeros are one', `${'0'.repeat(19)}1`, true],
    ['nothing is none', '', false],
    ['a sign is in none', '-1', false],
    ['a fraction is in none', '1.0', false],
    ['an exponent is in none', '1e5', false],
    ['hexadecimal is none', '0x10', false],
    ['a space is in none', ' 1', false],
    ['a line break is in none', '1\n', false],
    ['digits of other scripts are none', '١٢٣', false],
  ]

  test.each(given)('%s: %p', (_, text, is) => {
    expect(isIdOf(DISCORD, text)).toBe(is)
  })

  test('is of 64 bits, and nothing above', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 66n }), (number) => {
        expect(isIdOf(DISCORD, String(number))).toBe(number < 2n ** 64n)
      }),
    )
  })
})

describe('an ID of any other platform', () => {
  const given: [says: string, text: string, is: boolean][] = [
    ['an account of Matrix is one', '@wren:example.org', true],
    ['a room of Matrix is one', '!room:example.org', true],
    ['an event of Matrix is one', '$mT5hx-Aq_Zk', true],
    ['a channel of IRC is one', '#channel', true],
    ['an account of XMPP is one', 'wren@example.org/phone', true],
    ['digits are one', '123', true],
    ['21 nines are one', '9'.repeat(21), true],
    ['quotation marks and backslashes are in some', '"\\\'`', true],
    ['per cent signs are in some', '%2F%', true],
    ['other scripts are in some', 'зяблик🐦', true],
    ['255 characters are one', 'x'.repeat(255), true],
    ['256 characters are none', 'x'.repeat(256), false],
    ['a bird counts twice', `${'x'.repeat(254)}🐦`, false],
    ['nothing is none', '', false],
    ['a dot is none: paths lose it', '.', false],
    ['two dots are none: paths lose more', '..', false],
    ['three dots are one', '...', true],
    ['a space is in none', 'wren finch', false],
    ['a wide space is in none', 'wren\u3000finch', false],
    ['a line break is in none', 'wren\n', false],
    ['NUL is in none', 'wren\0', false],
    ['an escape is in none', '\u001b[1m', false],
    ['a control character of Latin-1 is in none', 'wren\u0085', false],
    ['half a bird is in none', 'wren\ud83d', false],
  ]

  test.each(given)('%s: %p', (_, text, is) => {
    expect(isIdOf('matrix', text)).toBe(is)
  })
})

/** Few letters, so that what could be mixed up is drawn often. */
const tricky = fc.string({ unit: fc.constantFrom('a', '1', ':', '-', '.', '"'), minLength: 1 })
const ids: fc.Arbitrary<PlatformId> = fc
  .record({
    platform: fc.oneof(
      fc.constantFrom(DISCORD, 'matrix', 'irc', 'ir', 'irc-2'),
      tricky.filter(isPlatform),
    ),
    id: fc.oneof(tricky, fc.nat().map(String), fc.string({ unit: 'binary', maxLength: 300 })),
  })
  .filter(({ platform, id }) => isIdOf(platform, id))

describe('the kept form of an ID', () => {
  test('is read as what it was made of', () => {
    fc.assert(
      fc.property(ids, (one) => {
        const kept = formatId(one)
        expect(parseId(kept)).toEqual(one)
        expect({ platform: platformOf(kept), id: bareId(kept) }).toEqual(one)
        expect(normalizeId(kept)).toBe(kept)
      }),
    )
  })

  test('is shared by no two', () => {
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        const areSame = one.platform === other.platform && one.id === other.id
        expect(formatId(one) === formatId(other)).toBe(areSame)
      }),
    )
  })

  test('of Discord is the ID alone, though its platform may be named', () => {
    expect(formatId({ platform: DISCORD, id: '42' })).toBe('42')
    expect(normalizeId('discord:42')).toBe('42')
  })

  test.each(['', ':', 'irc:', ':x', 'x', 'wren', 'i:x', 'IRC:x', 'irc:..', 'irc:a b', 'discord:x'])(
    'is not %p',
    (text) => expect(parseId(text)).toBeNull(),
  )
})
