import {
  cookieFor,
  isLoginAllowed,
  isSameOrigin,
  readSessionCookie,
  setCookie,
} from '../../../src/http/server/sessionCookie'
import { describe, expect, test } from '../../tools/test'

const plain = { publicUrl: '', trustedProxies: 0 }
const withPublicUrl = { publicUrl: 'https://home.example', trustedProxies: 0 }
const proxied = { publicUrl: '', trustedProxies: 1 }

describe('session cookie', () => {
  const cases: Record<string, [Record<string, string>, typeof plain, string]> = {
    'names the cookie after the port on plain HTTP': [
      { host: 'box:8080' },
      plain,
      'multitude-8080',
    ],
    'names the cookie after port 80 when the Host header has none': [
      { host: 'box' },
      plain,
      'multitude-80',
    ],
    'names the cookie after the port of an IPv6 host': [
      { host: '[::1]:8080' },
      plain,
      'multitude-8080',
    ],
    'uses a secure cookie at the public URL': [
      { host: 'home.example' },
      withPublicUrl,
      '__Host-multitude',
    ],
    'uses a secure cookie at the public URL with its default port': [
      { host: 'home.example:443' },
      withPublicUrl,
      '__Host-multitude',
    ],
    'uses a plain cookie at another address of the same server': [
      { host: '10.0.0.2:8080' },
      withPublicUrl,
      'multitude-8080',
    ],
    'uses a secure cookie when a trusted proxy reports HTTPS': [
      { host: 'box', 'x-forwarded-proto': 'https' },
      proxied,
      '__Host-multitude',
    ],
    'ignores X-Forwarded-Proto without a trusted proxy': [
      { host: 'box', 'x-forwarded-proto': 'https' },
      plain,
      'multitude-80',
    ],
    'uses X-Forwarded-Proto of the nearest proxy': [
      { host: 'box', 'x-forwarded-proto': 'https, http' },
      proxied,
      'multitude-80',
    ],
  }
  test.each(Object.entries(cases))('%s', (_, [headers, options, name]) => {
    const cookie = cookieFor(new Headers(headers), options)
    expect(cookie.name).toBe(name)
    const set = setCookie(cookie, 'secret', true)
    expect(set).toContain('; HttpOnly; SameSite=Strict')
    expect(set.includes('; Secure')).toBe(name.startsWith('__Host-'))
    expect(set).not.toContain('Domain')
    const returned = new Headers({ ...headers, cookie: `other=1; ${name}=secret; x${name}=no` })
    expect(readSessionCookie(returned, options)).toBe('secret')
  })

  test('ignores the cookie of another port', () => {
    const headers = new Headers({ host: 'box:8081', cookie: 'multitude-8080=secret' })
    expect(readSessionCookie(headers, plain)).toBeNull()
  })

  test.each([
    ['two with different values', 'multitude-80=planted; multitude-80=secret'],
    ['the same value twice', 'multitude-80=secret;multitude-80=secret'],
    ['one of them empty', 'multitude-80=; other=1; multitude-80=secret'],
  ])('ignores the session cookie when a request carries %s', (_, cookie) => {
    expect(readSessionCookie(new Headers({ host: 'box', cookie }), plain)).toBeNull()
  })
})

type OriginCase = [method: string, headers: Record<string, string>, isAccepted: boolean]

describe('same-origin check', () => {
  const host = 'home.example'
  const cases: Record<string, OriginCase> = {
    'accepts a read of our page': ['GET', { 'sec-fetch-site': 'same-origin' }, true],
    'accepts a read from the address bar': ['GET', { 'sec-fetch-site': 'none' }, true],
    'accepts a write of our page': ['POST', { 'sec-fetch-site': 'same-origin' }, true],
    'refuses a write without an initiator': ['POST', { 'sec-fetch-site': 'none' }, false],
    'refuses a read of another port': ['GET', { 'sec-fetch-site': 'same-site' }, false],
    'refuses a write of another port': ['PATCH', { 'sec-fetch-site': 'same-site' }, false],
    'refuses another site': ['DELETE', { 'sec-fetch-site': 'cross-site' }, false],
    'refuses another site that sends our origin': [
      'POST',
      { 'sec-fetch-site': 'cross-site', origin: 'https://home.example' },
      false,
    ],
    'accepts a read of an older browser': ['GET', {}, true],
    'accepts a HEAD of an older browser': ['HEAD', {}, true],
    'accepts a write of an older browser from our origin': [
      'POST',
      { origin: 'https://home.example' },
      true,
    ],
    'accepts a write of an older browser from our origin with its port': [
      'PUT',
      { origin: 'https://home.example:443' },
      true,
    ],
    'refuses a write of an older browser without an origin': ['POST', {}, false],
    'refuses a write of an older browser from another port': [
      'POST',
      { origin: 'https://home.example:8443' },
      false,
    ],
    'refuses a write of an older browser from another site': [
      'POST',
      { origin: 'https://evil.example' },
      false,
    ],
    'refuses a write of an older browser from an opaque origin': [
      'POST',
      { origin: 'null' },
      false,
    ],
  }
  test.each(Object.entries(cases))('%s', (_, [method, headers, isAccepted]) => {
    expect(isSameOrigin(method, new Headers({ host, ...headers }), withPublicUrl)).toBe(isAccepted)
  })

  test('accepts the origin of the public URL when a proxy changes the Host header', () => {
    const headers = new Headers({ host: '127.0.0.1:8080', origin: 'https://home.example' })
    expect(isSameOrigin('POST', headers, withPublicUrl)).toBe(true)
    expect(isSameOrigin('POST', headers, plain)).toBe(false)
  })
})

describe('login check', () => {
  const cases: Record<string, [Record<string, string>, boolean]> = {
    'allows logins of programs': [{}, true],
    'allows logins of our page': [
      { 'sec-fetch-site': 'same-origin', origin: 'https://home.example' },
      true,
    ],
    'allows logins of our page in an older browser': [{ origin: 'https://home.example' }, true],
    'refuses logins of other sites': [{ 'sec-fetch-site': 'cross-site' }, false],
    'refuses logins of other ports': [{ 'sec-fetch-site': 'same-site' }, false],
    'refuses logins of other origins': [{ origin: 'https://evil.example' }, false],
  }
  test.each(Object.entries(cases))('%s', (_, [headers, isAllowed]) => {
    expect(isLoginAllowed(new Headers({ host: 'home.example', ...headers }), withPublicUrl)).toBe(
      isAllowed,
    )
  })
})
