import { type AddressRules, checkAddress, resolveHost } from '../../src/events/webhookUrl'
import { type AllowList, isGlobal, parseAllowList } from '../../src/model/core/network'
import { problemMessage } from '../../src/model/core/problemMessages'
import { Problem } from '../../src/model/core/validation'
import { MAX_ENDPOINT } from '../../src/model/push/pushTarget'
import { describe, expect, test } from '../tools/test'
import { createTestClock } from '../tools/testClock'

const PUBLIC = ['9.9.9.9', '2620:fe::9']

function allow(text: string): AllowList {
  const parsed = parseAllowList(text)
  if (Array.isArray(parsed)) throw new Error(parsed.join(' '))
  return parsed
}

/** Rules for the addresses of webhooks and of push targets. */
const purposes: [purpose: string, rules: Partial<AddressRules>, maxLength: number][] = [
  ['webhooks', {}, 256],
  ['push targets', { maxLength: MAX_ENDPOINT, isHttpsOnly: true }, 2_048],
]

function createCheck(rules: Partial<AddressRules>) {
  return async (address: string, { list = '', ips = PUBLIC }: Given = {}): Promise<string> => {
    const checked = await checkAddress(address, {
      allow: allow(list),
      resolve: async () => ips,
      ...rules,
    })
    return checked.ok ? 'ok' : problemMessage(checked.problem)
  }
}

interface Given {
  list?: string
  ips?: string[]
}

describe('isGlobal', () => {
  const global = `
    1.1.1.1 9.9.9.9 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
    172.15.255.255 172.32.0.0 192.0.0.9 192.0.0.10 192.0.1.0 192.0.3.0 192.88.98.255 192.167.255.255
    198.17.255.255 198.20.0.0 203.0.112.255 223.255.255.255 192.31.196.1 192.52.193.1 192.175.48.1
    2606:4700:4700::1111 2a00:1450:4001:81b::200e 2001:200::1 2001:db7:ffff::1 2001:db9::1
    2001:1::1 2001:1::2 2001:1::3 2001:3::1 2001:4:112::1 2001:20::1 2001:30::1 2620:4f:8000::1
    ::ffff:9.9.9.9 ::FFFF:0909:0909 ::9.9.9.9 2002:909:909::1 2001:0:909:909:0:0:f6f6:f6f6
    3ffe::1 3fff:1000::1`
  test.each(words(global))('accepts %s as public', (ip) => {
    expect(isGlobal(ip)).toBe(true)
  })

  const special = `
    0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255
    169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.8 192.0.0.11 192.0.0.170 192.0.2.1
    192.88.99.1 192.168.0.1 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
    239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 0:0:0:0:0:0:0:1 fc00::1 fdff:ffff::1 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1
    2001:db8::1 2001:db8:ffff::1 3fff::1 3fff:fff::1 64:ff9b::9.9.9.9 64:ff9b::127.0.0.1
    64:ff9b:1::1 100::1 100:0:0:1::1 2001:2::1 2001:10::1 2001:1::4 2001:100::1 5f00::1 4000::1
    1fff::1 e000::1 200::1
    ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 ::10.0.0.1
    ::ffff:0:127.0.0.1 2002:7f00:1::1 2002:a00:1::1 2002:c0a8:101::1
    2001:0:909:909:0:0:80ff:fffe 2001:0:909:909:0:0:f5ff:fffe 2001:0:a00:1:0:0:f6f6:f6f6`
  test.each(words(special))('rejects %s as not public', (ip) => {
    expect(isGlobal(ip)).toBe(false)
  })

  const nonsense = `
    fe80::1%eth0 2606:4700::1111%1 ::1% 2606:4700::1111%25eth0 9.9.9 9.9.9.9.9 9.9.9.09 011.9.9.9
    9.9.9.256 0x9.9.9.9 151587081 [2606:4700::1111] 2606::1::2 2606:47000::1 1:2:3:4:5:6:7
    9.9.9.9/32 example.org ::ffff:9.9.9.256`
  test.each([...words(nonsense), '', ' 9.9.9.9', '9.9.9.9\n'])(
    'rejects %j as not an IP address',
    (ip) => {
      expect(isGlobal(ip)).toBe(false)
    },
  )
})

describe.each(purposes)('checkAddress for public receivers of %s', (_, rules, maxLength) => {
  const check = createCheck(rules)

  test('accepts a public address with all its IPs, IPv4 first', async () => {
    const ips = ['2620:fe::9', '9.9.9.9', '2620:fe::fe', '9.9.9.9', '149.112.112.112']
    const checked = await checkAddress('https://Hooks.Example.org/pk?x=1', {
      allow: allow(''),
      resolve: async (host) => (host === 'hooks.example.org' ? ips : []),
    })
    expect(checked).toEqual({
      ok: true,
      url: new URL('https://hooks.example.org/pk?x=1'),
      ips: ['9.9.9.9', '149.112.112.112', '2620:fe::9', '2620:fe::fe'],
    })
  })

  test('removes the final dot of the host, which certificates do not have', async () => {
    const resolved: string[] = []
    const checked = await checkAddress('https://hooks.example.org./pk', {
      allow: allow(''),
      resolve: async (host) => {
        resolved.push(host)
        return PUBLIC
      },
    })
    expect(resolved).toEqual(['hooks.example.org'])
    expect(checked.ok && checked.url.href).toBe('https://hooks.example.org/pk')
  })

  test.each([
    'https://example.org',
    'HTTPS://EXAMPLE.ORG/',
    'https://example.org:443/',
    'https://bücher.example/',
    'https://notdiscord.com/api/webhooks/1/a',
    'https://discord.com.example.org/api/webhooks/1/a',
    `https://example.org/${'a'.repeat(maxLength - 20)}`,
  ])('accepts %s', async (address) => {
    expect(await check(address)).toBe('ok')
  })
})

describe.each(purposes)('checkAddress for %s', (_, rules, maxLength) => {
  const check = createCheck(rules)

  test.each([
    ['that is empty', '', 'must be absolute'],
    ['that is not absolute', 'example.org/hook', 'must be absolute'],
    ['without a scheme', '//example.org/hook', 'must be absolute'],
    ['without slashes', 'https:example.org', 'must be absolute'],
    ['without a host', 'https:///', 'must be absolute'],
    ['with another scheme', 'ftp://example.org/', 'must be absolute'],
    ['with the scheme file', 'file:///etc/passwd', 'must be absolute'],
    ['with a line break inside', 'https://exam\nple.org/', 'must be absolute'],
    ['with a leading space', ' https://example.org/', 'must be absolute'],
    ['with a zone id', 'https://[fe80::1%25eth0]/', 'must be absolute'],
    [
      'that is too long',
      `https://example.org/${'a'.repeat(maxLength - 19)}`,
      `${maxLength} characters`,
    ],
    ['over http', 'http://example.org/', 'must start with https'],
    ['on another port', 'https://example.org:8443/', 'port 443'],
    ['on the port of http', 'https://example.org:80/', 'port 443'],
    ['with a user name', 'https://user@example.org/', 'user name'],
    ['with a password', 'https://:secret@example.org/', 'user name'],
    ['with an empty label', 'https://example..org/', 'not a host name'],
    ['with two final dots', 'https://example.org../', 'not a host name'],
    ['with invalid characters in the host', "https://exa'mple.org/", 'not a host name'],
  ])('rejects an address %s', async (_, address, reason) => {
    expect(await check(address)).toContain(reason)
  })

  test.each([
    '9.9.9.9',
    '127.0.0.1',
    '127.0.0.1.',
    '127.0.0.1..',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0x7f.1..',
    '0177.0.0.1',
    '017700000001',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[2620:fe::9]',
  ])('rejects the IP address %s as a host', async (host) => {
    expect(await check(`https://${host}/`)).toBe(
      'Bad address: must have a host name instead of an IP address.',
    )
  })

  test.each([
    'https://discord.com/api/webhooks/1/a',
    'https://discord.com/api/v10/webhooks/1/a',
    'https://DISCORD.com./api/webhooks/1/a',
    'https://discord.com//%61pi/webhooks/1/a',
    'https://canary.discord.com/api/webhooks/1/a',
    'https://ptb.discord.com/api/webhooks/1/a',
    'https://discordapp.com/api/webhooks/1/a',
    'https://canary.discordapp.com/api/webhooks/1/a',
  ])('rejects the Discord address %s', async (address) => {
    expect(await check(address)).toContain('Discord')
    expect(await check(address, { list: 'discord.com' })).toContain('Discord')
  })

  test.each([
    ['to loopback', ['127.0.0.1']],
    ['to loopback over IPv6', ['::1']],
    ['to the LAN', ['192.168.1.5']],
    ['to a cloud metadata service', ['169.254.169.254']],
    ['to one private address among public ones', ['9.9.9.9', '2620:fe::9', '10.0.0.1']],
    ['to a private IPv6 address and a public IPv4 address', ['9.9.9.9', 'fd00::1']],
    ['to an IPv4-mapped private address', ['::ffff:10.0.0.1']],
    ['to an address with a zone', ['fe80::1%eth0']],
    ['to text that is not an IP address', ['example.org']],
  ])('rejects a host that resolves %s', async (_, ips) => {
    expect(await check('https://localhost/', { ips })).toStartWith('Address not public')
  })

  test('rejects a host that has no address', async () => {
    expect(await check('https://example.org/', { ips: [] })).toStartWith('Cannot resolve')
  })

  test('rejects a host when the lookup fails, without quoting the error', async () => {
    const resolve = () => Promise.reject(new Error('SERVFAIL from 10.0.0.53'))
    expect(await checkAddress('https://example.org/', { allow: allow(''), resolve })).toEqual({
      ok: false,
      problem: new Problem('address_not_found'),
    })
  })

  test('rejects an invalid address without a DNS lookup', async () => {
    let lookups = 0
    const resolve = async () => {
      lookups += 1
      return PUBLIC
    }
    await checkAddress('http://example.org/', {
      allow: allow('nas.lan'),
      resolve,
    })
    await checkAddress('https://10.0.0.1/', {
      allow: allow('10.0.0.0/8'),
      resolve,
    })
    expect(lookups).toBe(0)
  })
})

describe.each(purposes)('the allow list for %s', (_, rules) => {
  const check = createCheck(rules)
  const lan = ['192.168.1.5']
  const notPublic = 'Address not public: the host name resolves to a private or reserved network.'
  const notHttps = 'Bad address: must start with https://.'
  const port = 'Bad address: must use port 443.'
  const literal = 'Bad address: must have a host name instead of an IP address.'
  const scenarios: [string, string, string, string[], string][] = [
    ['allows a host', 'nas.lan', 'https://nas.lan/', lan, 'ok'],
    ['allows http and any port of a host', 'nas.lan', 'http://nas.lan:8080/', lan, 'ok'],
    ['matches hosts in any case', 'Nas.LAN.', 'https://NAS.lan./', lan, 'ok'],
    ['does not allow another host', 'nas.lan', 'https://tv.lan/', lan, notPublic],
    ['does not allow subdomains', 'nas.lan', 'https://a.nas.lan/', lan, notPublic],
    ['does not allow http on other hosts', 'nas.lan', 'http://example.org/', PUBLIC, notHttps],
    ['allows hosts that resolve into a range', '192.168.1.0/24', 'http://nas.lan:81/', lan, 'ok'],
    ['ignores host bits of a range', '192.168.1.77/24', 'https://nas.lan/', lan, 'ok'],
    [
      'does not allow addresses outside a range',
      '192.168.0.0/24',
      'https://nas.lan/',
      lan,
      notPublic,
    ],
    ['allows an IP address in a range', '192.168.0.0/16', 'http://192.168.1.5:81/', [], 'ok'],
    ['allows a single IP address', '192.168.1.5', 'https://192.168.1.5/', [], 'ok'],
    ['allows an IPv4-mapped address', '192.168.1.5', 'https://[::ffff:192.168.1.5]/', [], 'ok'],
    ['allows an IPv6 address', 'fd00::/8', 'http://[fd12::1]:81/', [], 'ok'],
    ['does not allow other IP addresses', '192.168.1.5', 'https://192.168.1.6/', [], literal],
    ['does not allow public IP addresses', '192.168.1.5', 'https://9.9.9.9/', [], literal],
    [
      'requires every private address to be listed',
      '192.168.1.5',
      'https://x.lan/',
      [...lan, '10.0.0.1'],
      notPublic,
    ],
    [
      'allows listed and public addresses together',
      '192.168.1.5',
      'https://x.org/',
      [...lan, '9.9.9.9'],
      'ok',
    ],
    [
      'requires port 443 if an address is not listed',
      '192.168.1.5',
      'https://x.org:81/',
      [...lan, '9.9.9.9'],
      port,
    ],
    ['can allow all IPv4 addresses', '0.0.0.0/0', 'http://127.0.0.1:81/', [], 'ok'],
    ['does not allow IPv6 with an IPv4 range', '0.0.0.0/0', 'https://nas.lan/', ['::1'], notPublic],
    [
      'does not allow addresses with a zone',
      'nas.lan',
      'https://nas.lan/',
      ['fe80::1%eth0'],
      notPublic,
    ],
  ]
  test.each(scenarios)('the allow list %s: %s for %s', async (_, list, address, ips, result) => {
    const isRefused = rules.isHttpsOnly === true && address.startsWith('http:')
    expect(await check(address, { list, ips })).toBe(isRefused ? notHttps : result)
  })

  test('the allow list does not allow user names in addresses', async () => {
    expect(await check('https://user@nas.lan/', { list: 'nas.lan' })).toContain('user name')
  })

  test('parseAllowList ignores empty entries', () => {
    expect(allow(' , ,')).toEqual({ hosts: new Set(), ranges: [] })
  })

  test('parseAllowList accepts hosts, addresses and ranges', () => {
    const parsed = allow('nas.lan, my_service,bücher.example, 10.0.0.0/8 ,::1')
    expect([...parsed.hosts]).toEqual(['nas.lan', 'my_service', 'xn--bcher-kva.example'])
    expect(parsed.ranges).toHaveLength(2)
  })

  test.each([
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/0x8',
    '10.0.0',
    '010.0.0.1',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
    '*.lan',
    'nas.lan:8080',
    'https://nas.lan',
    'nas.lan/hook',
    'user@nas.lan',
    'nas lan',
  ])('parseAllowList reports the invalid entry %j, and no valid one', (entry) => {
    expect(parseAllowList(`nas.lan,${entry},10.0.0.0/8`)).toEqual([
      `"${entry}" is not a host name, an IP address or a CIDR range.`,
    ])
  })
})

describe('resolveHost', () => {
  test('returns all addresses of a host', async () => {
    const lookup = async () => PUBLIC.map((address) => ({ address }))
    expect(await resolveHost('example.org', lookup)).toEqual(PUBLIC)
  })

  test('times out when the name server does not answer', async () => {
    const silent = () => new Promise<never>(() => {})
    const clock = createTestClock()
    const resolving = resolveHost('example.org', silent, 30, clock)
    await clock.advance(29)
    expect(Bun.peek.status(resolving)).toBe('pending')
    const outcome = resolving.catch(String)
    await clock.advance(1)
    expect(await outcome).toContain('timed out')
  })

  test('reads the hosts file, so that localhost is rejected', async () => {
    const checked = await checkAddress('https://localhost/', {
      allow: allow(''),
    })
    expect(checked).toMatchObject({
      ok: false,
      problem: new Problem('address_not_public'),
    })
  })
})

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}
