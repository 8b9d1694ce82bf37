import { describe, expect, test } from 'bun:test'
import {
  cookieFor,
  isLoginAllowed,
  isSameOrigin,
  readSessionCookie,
  setCookie,
} from '../../../src/http/web/cookie'

const plain = { publicUrl: '', trustedProxies: 0 }
const known = { publicUrl: 'https://home.example', trustedProxies: 0 }
const proxied = { publicUrl: '', trustedProxies: 1 }

describe('the cookie', () => {
  const cases: Record<string, [Record<string, string>, typeof plain, string]> = {
    'is named after the port on plain http': [{ host: 'box:8080' }, plain, 'multitude-8080'],
    'is named after port 80 where none is said': [{ host: 'box' }, plain, 'multitude-80'],
    'knows the port behind an IPv6 address': [{ host: '[::1]:8080' }, plain, 'multitude-8080'],
    'is safe at the public address': [{ host: 'home.example' }, known, '__Host-multitude'],
    'is safe at its spelled port': [{ host: 'home.example:443' }, known, '__Host-multitude'],
    'is plain at another address of the same server': [
      { host: '10.0.0.2:8080' },
      known,
      'multitude-8080',
    ],
    'is safe where a trusted proxy says so': [
      { host: 'box', 'x-forwarded-proto': 'https' },
      proxied,
      '__Host-multitude',
    ],
    'does not believe just anybody': [
      { host: 'box', 'x-forwarded-proto': 'https' },
      plain,
      'multitude-80',
    ],
    'believes the nearest proxy, not what came before it': [
      { host: 'box', 'x-forwarded-proto': 'https, http' },
      proxied,
      'multitude-80',
    ],
  }
  test.each(Object.entries(cases))('%s', (_, [headers, place, name]) => {
    const cookie = cookieFor(new Headers(headers), place)
    expect(cookie.name).toBe(name)
    const set = setCookie(cookie, 'secret', true)
    expect(set).toContain('; HttpOnly; SameSite=Strict')
    expect(set.includes('; Secure')).toBe(name.startsWith('__Host-'))
    expect(set).not.toContain('Domain')
    const back = new Headers({ ...headers, cookie: `other=1; ${name}=secret; x${name}=no` })
    expect(readSessionCookie(back, place)).toBe('secret')
  })

  test('of another port is nobody’s', () => {
    const headers = new Headers({ host: 'box:8081', cookie: 'multitude-8080=secret' })
    expect(readSessionCookie(headers, plain)).toBeNull()
  })

  test.each([
    ['two with different values', 'multitude-80=planted; multitude-80=secret'],
    ['the same value twice', 'multitude-80=secret;multitude-80=secret'],
    ['one of them empty', 'multitude-80=; other=1; multitude-80=secret'],
  ])('is ignored when a request carries %s', (_, cookie) => {
    expect(readSessionCookie(new Headers({ host: 'box', cookie }), plain)).toBeNull()
  })
})

type Asked = [method: string, headers: Record<string, string>, own: boolean]

describe('a cookie counts', () => {
  const host = 'home.example'
  const cases: Record<string, Asked> = {
    'for a read of the page': ['GET', { 'sec-fetch-site': 'same-origin' }, true],
    'for what is typed into the address bar': ['GET', { 'sec-fetch-site': 'none' }, true],
    'for a write of the page': ['POST', { 'sec-fetch-site': 'same-origin' }, true],
    'not for a write from nowhere': ['POST', { 'sec-fetch-site': 'none' }, false],
    'not for a read of another port': ['GET', { 'sec-fetch-site': 'same-site' }, false],
    'not for a write of another port': ['PATCH', { 'sec-fetch-site': 'same-site' }, false],
    'not for another site': ['DELETE', { 'sec-fetch-site': 'cross-site' }, false],
    'not for another site that claims our origin': [
      'POST',
      { 'sec-fetch-site': 'cross-site', origin: 'https://home.example' },
      false,
    ],
    'for a read of an older browser': ['GET', {}, true],
    'for a HEAD of an older browser': ['HEAD', {}, true],
    'for its write from our origin': ['POST', { origin: 'https://home.example' }, true],
    'for its write from our origin with its port': [
      'PUT',
      { origin: 'https://home.example:443' },
      true,
    ],
    'not for its write without an origin': ['POST', {}, false],
    'not for its write from another port': ['POST', { origin: 'https://home.example:8443' }, false],
    'not for its write from another site': ['POST', { origin: 'https://evil.example' }, false],
    'not for its write from a hidden origin': ['POST', { origin: 'null' }, false],
  }
  test.each(Object.entries(cases))('%s', (_, [method, headers, own]) => {
    expect(isSameOrigin(method, new Headers({ host, ...headers }), known)).toBe(own)
  })

  test('for the public address, where a proxy gives us another host', () => {
    const headers = new Headers({ host: '127.0.0.1:8080', origin: 'https://home.example' })
    expect(isSameOrigin('POST', headers, known)).toBe(true)
    expect(isSameOrigin('POST', headers, plain)).toBe(false)
  })
})

describe('logging in', () => {
  const cases: Record<string, [Record<string, string>, boolean]> = {
    'is open to programs': [{}, true],
    'is open to our page': [
      { 'sec-fetch-site': 'same-origin', origin: 'https://home.example' },
      true,
    ],
    'is open to our page in an older browser': [{ origin: 'https://home.example' }, true],
    'is closed to other sites': [{ 'sec-fetch-site': 'cross-site' }, false],
    'is closed to other ports': [{ 'sec-fetch-site': 'same-site' }, false],
    'is closed to other origins': [{ origin: 'https://evil.example' }, false],
  }
  test.each(Object.entries(cases))('%s', (_, [headers, may]) => {
    expect(isLoginAllowed(new Headers({ host: 'home.example', ...headers }), known)).toBe(may)
  })
})
