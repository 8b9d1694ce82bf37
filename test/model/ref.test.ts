import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  HID_ALPHABET,
  HID_LENGTH,
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
    ['a platform and its ID are an account', 'irc:wren', { account: 'irc:wren' }],
    ['an ID may have colons', 'matrix:@wren:a.org', { account: 'matrix:@wren:a.org' }],
    [
      'an ID of digits is of its platform',
      `irc:${'1'.repeat(18)}`,
      { account: `irc:${'1'.repeat(18)}` },
    ],
    ['Discord may be named, also with few digits', 'discord:42', { account: '42' }],
    ['letters are no account of Discord', 'discord:wren', null],
    ['a platform without an ID is nothing', 'irc:', null],
    ['an ID without a platform is nothing', ':wren', null],
    ['a platform in upper case is nothing', 'IRC:wren', null],
    ['a space is in no ID', 'irc:wren finch', null],
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
