import { isIP } from 'node:net'
import { parseIp } from '../../src/model/core/network'
import { describe, expect, test } from '../tools/test'

describe('parseIp', () => {
  const good = ['0.0.0.0', '255.255.255.255', '::', '::1', '1::', 'FE80::a', '::ffff:10.0.0.1']
  const bad = [
    '',
    '1.2.3',
    '1.2.3.4.',
    '1.2.3.4.5',
    '01.2.3.4',
    '256.1.1.1',
    '1.2.3.4\n',
    '0x7f.1.1.1',
  ]
  const worse = [
    ':',
    ':::',
    '1:2',
    '::1::',
    'g::',
    '::1]',
    '[::1]',
    '::1/64',
    '::1%lo',
    '::1.2.3',
    ' ::1',
  ]

  test.each([...good, ...bad, ...worse])(
    'accepts %j if and only if node:net does, except zones',
    (text) => {
      expect(parseIp(text) !== null).toBe(isIP(text) !== 0 && !text.includes('%'))
    },
  )

  test('accepts the same pseudo-random texts as node:net', () => {
    const parts = [
      '',
      '0',
      '7',
      '00',
      '255',
      '256',
      'ffff',
      '12345',
      ':',
      '::',
      '.',
      '1.2.3.4',
      'x',
    ]
    const differing: string[] = []
    // A fixed pseudo-random sequence, so that every run tests the same texts.
    for (let seed = 1, count = 0; count < 20_000; count++) {
      let text = ''
      for (let at = 0; at <= seed % 15; at++) {
        seed = (seed * 48_271) % 2_147_483_647
        text += `${at > 0 && seed % 5 > 0 ? ':' : ''}${parts[seed % parts.length]}`
      }
      if ((parseIp(text) !== null) !== (isIP(text) !== 0)) differing.push(text)
    }
    expect(differing).toEqual([])
  })
})
