import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  HID_ALPHABET,
  HID_LENGTH,
  isSnowflake,
  isUuid,
  parseRef,
  parseSystemRef,
  type SystemRef,
} from '../../src/model/ref'

const UUID = '0f0ac7c8-3d4f-4b5a-9c0e-7d7d8f3b1a2c'

describe('a reference to a system', () => {
  const named: [says: string, text: string, ref: SystemRef | null][] = [
    ['@me is the caller', '@me', { me: true }],
    ['@ME is nobody', '@ME', null],
    ['a UUID is one', UUID, { uuid: UUID }],
    ['a UUID in upper case is the same', UUID.toUpperCase(), { uuid: UUID }],
    ['a UUID without dashes is none', UUID.replaceAll('-', ''), null],
    ['a UUID in braces is none', `{${UUID}}`, null],
    ['five letters are a short ID', 'exmpl', { hid: 'exmpl' }],
    ['six letters are a short ID', 'exmple', { hid: 'exmple' }],
    ['upper case is the same short ID', 'ExMpLe', { hid: 'exmple' }],
    ['a dash between the halves is left out', 'exm-ple', { hid: 'exmple' }],
    ['a dash and upper case go together', 'EXM-PLE', { hid: 'exmple' }],
    ['a dash elsewhere is no short ID', 'ex-mple', null],
    ['a dash in five letters is no short ID', 'exm-pl', null],
    ['two dashes are no short ID', 'exm--ple', null],
    ['four letters are no short ID', 'exmp', null],
    ['seven letters are no short ID', 'example', null],
    ['a digit is in no short ID', 'exmpl1', null],
    ['other letters are in no short ID', 'exmplé', null],
    ['the Kelvin sign is no k', 'exmpl\u212a', null],
    ['a space around is no short ID', ' exmpl', null],
    ['a line break behind is no short ID', 'exmple\n', null],
    ['17 digits are an account', '1'.repeat(17), { account: '1'.repeat(17) }],
    ['19 digits are an account', '9'.repeat(19), { account: '9'.repeat(19) }],
    ['leading zeros stay', `00${'1'.repeat(16)}`, { account: `00${'1'.repeat(16)}` }],
    ['16 digits are nothing', '1'.repeat(16), null],
    ['20 digits are nothing', '1'.repeat(20), null],
    ['digits of other scripts are nothing', '١'.repeat(18), null],
    ['nothing is nobody', '', null],
  ]

  test.each(named)('%s: %p', (_, text, ref) => {
    expect(parseSystemRef(text)).toEqual(ref)
  })
})

describe('a reference to a member or a group', () => {
  test.each(['@me', '1'.repeat(18)])('is not %s', (text) => {
    expect(parseRef(text)).toBeNull()
  })

  test('takes every spelling of a short ID', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...HID_ALPHABET),
      minLength: HID_LENGTH,
      maxLength: HID_LENGTH,
    })
    fc.assert(
      fc.property(letters, (hid) => {
        const dashed = `${hid.slice(0, 3)}-${hid.slice(3)}`
        for (const spelled of [hid, hid.toUpperCase(), dashed, dashed.toUpperCase()])
          expect(parseRef(spelled)).toEqual({ hid })
      }),
    )
  })

  test('takes every UUID in either case', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(isUuid(uuid)).toBe(true)
        expect(parseRef(uuid.toUpperCase())).toEqual({ uuid })
      }),
    )
  })
})

describe('a snowflake', () => {
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
    expect(isSnowflake(text)).toBe(is)
  })

  test('of 64 bits is one, and nothing above', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 66n }), (number) => {
        expect(isSnowflake(String(number))).toBe(number < 2n ** 64n)
      }),
    )
  })
})
