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
} from '../../src/model/core/platform'
import { describe, expect, test } from '../tools/test'

describe('isPlatform', () => {
  const given: [title: string, text: string, is: boolean][] = [
    ['accepts two letters', 'qq', true],
    ['accepts 20 letters', 'a'.repeat(20), true],
    ['rejects 21 letters', 'a'.repeat(21), false],
    ['rejects one letter', 'x', false],
    ['accepts digits and hyphens', 'xmpp-2', true],
    ['rejects a leading digit', '4chan', false],
    ['rejects a leading hyphen', '-irc', false],
    ['rejects upper case', 'Matrix', false],
    ['rejects letters outside ASCII', 'mátrix', false],
    ['rejects a colon', 'a:b', false],
    ['rejects a line break', 'irc\n', false],
    ['rejects empty text', '', false],
  ]

  test.each(given)('%s in a platform name: %p', (_, text, is) => {
    expect(isPlatform(text)).toBe(is)
  })
})

describe('isIdOf for Discord', () => {
  const given: [title: string, text: string, is: boolean][] = [
    ['accepts one digit', '0', true],
    ['accepts 18 digits', '123456789012345678', true],
    ['accepts the largest 64-bit number', '18446744073709551615', true],
    ['rejects a number above 64 bits', '18446744073709551616', false],
    ['rejects 20 nines', '9'.repeat(20), false],
    ['rejects 21 digits, even zeros', '0'.repeat(21), false],
    ['accepts 20 digits with leading zeros', `${'0'.repeat(19)}1`, true],
    ['rejects empty text', '', false],
    ['rejects a sign', '-1', false],
    ['rejects a fraction', '1.0', false],
    ['rejects an exponent', '1e5', false],
    ['rejects hexadecimal digits', '0x10', false],
    ['rejects a space', ' 1', false],
    ['rejects a line break', '1\n', false],
    ['rejects digits of other scripts', '١٢٣', false],
  ]

  test.each(given)('%s in a Discord ID: %p', (_, text, is) => {
    expect(isIdOf(DISCORD, text)).toBe(is)
  })

  test('accepts all 64-bit numbers as Discord IDs, and no larger ones', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 66n }), (number) => {
        expect(isIdOf(DISCORD, String(number))).toBe(number < 2n ** 64n)
      }),
    )
  })
})

describe('isIdOf for other platforms', () => {
  const given: [title: string, text: string, is: boolean][] = [
    ['accepts a Matrix account', '@wren:example.org', true],
    ['accepts a Matrix room', '!room:example.org', true],
    ['accepts a Matrix event', '$mT5hx-Aq_Zk', true],
    ['accepts an IRC channel', '#channel', true],
    ['accepts an XMPP account', 'wren@example.org/phone', true],
    ['accepts digits', '123', true],
    ['accepts 21 nines', '9'.repeat(21), true],
    ['accepts quotation marks and backslashes', '"\\\'`', true],
    ['accepts per cent signs', '%2F%', true],
    ['accepts other scripts and emoji', 'зяблик🐦', true],
    ['accepts 255 characters', 'x'.repeat(255), true],
    ['rejects 256 characters', 'x'.repeat(256), false],
    ['counts an emoji as two characters', `${'x'.repeat(254)}🐦`, false],
    ['rejects empty text', '', false],
    ['rejects a dot, which paths drop', '.', false],
    ['rejects two dots, which paths resolve', '..', false],
    ['accepts three dots', '...', true],
    ['rejects a space', 'wren finch', false],
    ['rejects an ideographic space', 'wren\u3000finch', false],
    ['rejects a line break', 'wren\n', false],
    ['rejects NUL', 'wren\0', false],
    ['rejects an escape character', '\u001b[1m', false],
    ['rejects a Latin-1 control character', 'wren\u0085', false],
    ['rejects a lone surrogate', 'wren\ud83d', false],
  ]

  test.each(given)('%s in an ID of another platform: %p', (_, text, is) => {
    expect(isIdOf('matrix', text)).toBe(is)
  })
})

/** Few characters, so that ambiguous IDs are generated often. */
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

describe('formatId', () => {
  test('writes IDs that parseId, platformOf, bareId and normalizeId parse again', () => {
    fc.assert(
      fc.property(ids, (one) => {
        const stored = formatId(one)
        expect(parseId(stored)).toEqual(one)
        expect({ platform: platformOf(stored), id: bareId(stored) }).toEqual(one)
        expect(normalizeId(stored)).toBe(stored)
      }),
    )
  })

  test('writes different texts for different IDs', () => {
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        const areSame = one.platform === other.platform && one.id === other.id
        expect(formatId(one) === formatId(other)).toBe(areSame)
      }),
    )
  })

  test('writes Discord IDs without a platform, and normalizes those with one', () => {
    expect(formatId({ platform: DISCORD, id: '42' })).toBe('42')
    expect(normalizeId('discord:42')).toBe('42')
  })

  test.each(['', ':', 'irc:', ':x', 'x', 'wren', 'i:x', 'IRC:x', 'irc:..', 'irc:a b', 'discord:x'])(
    'parseId rejects %p',
    (text) => expect(parseId(text)).toBeNull(),
  )
})
