import fc from 'fast-check'
import { findClient } from '../../../src/http/server/requestLimits'
import { describe, expect, test } from '../../tools/test'

describe('client address for limits', () => {
  const same: [title: string, first: string, second: string][] = [
    ['two addresses of one subscriber', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff:0:0:1'],
    ['short and long notation', '2001:db8::1', '2001:0db8:0:0:0:0:0:1'],
    ['lowercase and uppercase digits', '2001:DB8:A::', '2001:db8:a::1'],
    ['zero groups omitted at the end', '2001:db8:1:2::', '2001:db8:1:2:3::4'],
    ['zero groups omitted in the network', '2001:db8::2:3:4:5:6', '2001:db8:0:2:9::9'],
    ['with and without brackets', '[2001:db8::1]', '2001:db8::1'],
    ['with and without a port', '[2001:db8::1]:4711', '[2001:db8::1]:4712'],
    ['IPv4 with and without a port', '203.0.113.7:4711', '203.0.113.7'],
    ['IPv4 within IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['IPv4 within IPv6, in uppercase', '::FFFF:203.0.113.7', '203.0.113.7'],
  ]

  test.each(same)('counts as one client: %s', (_, first, second) => {
    expect(addressOf(first)).toBe(addressOf(second))
    expect(forwardedAddress(first)).toBe(forwardedAddress(second))
  })

  const different: [title: string, first: string, second: string][] = [
    ['two subscribers', '2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['subscribers that differ only in omitted groups', '2001:db8::1', '2001:db8:0:1::1'],
    ['two addresses of IPv4', '203.0.113.7', '203.0.113.8'],
    ['two addresses of IPv4 within IPv6', '::ffff:203.0.113.7', '::ffff:203.0.113.8'],
    ['two names that are not addresses', 'a:1', 'a:2'],
    ['malformed addresses', '1:2:3:4:5', '1:2:3:4:6'],
  ]

  test.each(different)('counts as two clients: %s', (_, first, second) => {
    expect(addressOf(first)).not.toBe(addressOf(second))
    expect(forwardedAddress(first)).not.toBe(forwardedAddress(second))
  })

  test('counts an IPv6 client by its /64 network and an IPv4 client by its address', () => {
    const group = fc.oneof(fc.constant(0), fc.nat({ max: 0xffff }))
    const groups = fc.array(group, { minLength: 8, maxLength: 8 }).filter(([first]) => first !== 0)
    fc.assert(
      fc.property(groups, (numbers) => {
        const plain = numbers.map((number) => number.toString(16))
        const network = `${plain.slice(0, 4).join(':')}::/64`
        const padded = plain.map((digits) => digits.padStart(4, '0').toUpperCase())
        // URL abbreviates the longest run of zeros to two colons.
        const short = new URL(`http://[${plain.join(':')}]`).hostname
        for (const notation of [plain.join(':'), padded.join(':'), short, `${short}:443`])
          expect(forwardedAddress(notation)).toBe(network)
      }),
    )
    fc.assert(fc.property(fc.ipV4(), (address) => expect(addressOf(address)).toBe(address)))
  })

  test('counts every valid IPv6 notation by its network or the IPv4 address within', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(addressOf(address)).toMatch(/^[0-9a-f:]+::\/64$|^\d+\.\d+\.\d+\.\d+$/)
      }),
    )
  })

  test('limits the client address to 64 characters for any header', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3000 }), (text) => {
        expect(forwardedAddress(text.replace(/[^\x21-\x7e]/g, 'x')).length).toBeLessThanOrEqual(64)
      }),
    )
  })

  test('detects local clients by the full address, not by the network', () => {
    const isLocal = (peer: string) => findClient(() => peer, new Headers(), 0).isLocal
    expect(['::1', '127.0.0.1', '::ffff:127.0.0.1'].map(isLocal)).toEqual([true, true, true])
    expect(['::2', '::', '2001:db8::127.0.0.1'].map(isLocal)).toEqual([false, false, false])
  })
})

function addressOf(peer: string): string {
  return findClient(() => peer, new Headers(), 0).address
}

/** Returns the client address when a trusted proxy sends this one. */
function forwardedAddress(address: string): string {
  const headers = new Headers({ 'x-forwarded-for': address })
  return findClient(() => '127.0.0.1', headers, 1).address
}
