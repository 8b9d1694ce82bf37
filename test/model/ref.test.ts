import fc from 'fast-check'
import {
  HID_ALPHABET,
  HID_LENGTH,
  isUuid,
  parseRef,
  parseSystemRef,
  type SystemRef,
} from '../../src/model/core/ref'
import { describe, expect, test } from '../tools/test'

const UUID = '0f0ac7c8-3d4f-4b5a-9c0e-7d7d8f3b1a2c'

describe('parseSystemRef', () => {
  const named: [title: string, text: string, ref: SystemRef | null][] = [
    ['parses @me as the caller', '@me', { me: true }],
    ['rejects @ME', '@ME', null],
    ['parses a UUID', UUID, { uuid: UUID }],
    ['parses a UUID in upper case', UUID.toUpperCase(), { uuid: UUID }],
    ['rejects a UUID without hyphens', UUID.replaceAll('-', ''), null],
    ['rejects a UUID in braces', `{${UUID}}`, null],
    ['parses five letters as a short ID', 'exmpl', { hid: 'exmpl' }],
    ['parses six letters as a short ID', 'exmple', { hid: 'exmple' }],
    ['parses a short ID in upper case', 'ExMpLe', { hid: 'exmple' }],
    ['parses a short ID with a hyphen in the middle', 'exm-ple', { hid: 'exmple' }],
    ['parses a short ID with a hyphen in upper case', 'EXM-PLE', { hid: 'exmple' }],
    ['rejects a hyphen elsewhere in a short ID', 'ex-mple', null],
    ['rejects a hyphen in five letters', 'exm-pl', null],
    ['rejects two hyphens in a short ID', 'exm--ple', null],
    ['rejects four letters', 'exmp', null],
    ['rejects seven letters', 'example', null],
    ['rejects a digit in a short ID', 'exmpl1', null],
    ['rejects letters outside ASCII in a short ID', 'exmplé', null],
    ['rejects the Kelvin sign as a k', 'exmpl\u212a', null],
    ['rejects a space around a short ID', ' exmpl', null],
    ['rejects a line break after a short ID', 'exmple\n', null],
    ['parses 17 digits as an account', '1'.repeat(17), { account: '1'.repeat(17) }],
    ['parses 19 digits as an account', '9'.repeat(19), { account: '9'.repeat(19) }],
    ['keeps leading zeros', `00${'1'.repeat(16)}`, { account: `00${'1'.repeat(16)}` }],
    ['rejects 16 digits', '1'.repeat(16), null],
    ['rejects 20 digits', '1'.repeat(20), null],
    ['rejects digits of other scripts', '١'.repeat(18), null],
    ['parses a platform and an ID as an account', 'irc:wren', { account: 'irc:wren' }],
    ['accepts colons in an ID', 'matrix:@wren:a.org', { account: 'matrix:@wren:a.org' }],
    [
      'keeps the platform of an ID of digits',
      `irc:${'1'.repeat(18)}`,
      { account: `irc:${'1'.repeat(18)}` },
    ],
    ['accepts the prefix discord:, even with few digits', 'discord:42', { account: '42' }],
    ['rejects letters in a Discord account', 'discord:wren', null],
    ['rejects a platform without an ID', 'irc:', null],
    ['rejects an empty platform', ':wren', null],
    ['rejects a platform in upper case', 'IRC:wren', null],
    ['rejects a space in an ID', 'irc:wren finch', null],
    ['rejects empty text', '', null],
  ]

  test.each(named)('parses a system reference: %s, %p', (_, text, ref) => {
    expect(parseSystemRef(text)).toEqual(ref)
  })
})

describe('parseRef', () => {
  test.each(['@me', '1'.repeat(18)])('rejects %s as a member or group reference', (text) => {
    expect(parseRef(text)).toBeNull()
  })

  test('accepts every notation of a short ID', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...HID_ALPHABET),
      minLength: HID_LENGTH,
      maxLength: HID_LENGTH,
    })
    fc.assert(
      fc.property(letters, (hid) => {
        const dashed = `${hid.slice(0, 3)}-${hid.slice(3)}`
        for (const notation of [hid, hid.toUpperCase(), dashed, dashed.toUpperCase()])
          expect(parseRef(notation)).toEqual({ hid })
      }),
    )
  })

  test('accepts every UUID in either case', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(isUuid(uuid)).toBe(true)
        expect(parseRef(uuid.toUpperCase())).toEqual({ uuid })
      }),
    )
  })
})
