import { createECDH } from 'node:crypto'
import {
  authorizationFor,
  encryptFor,
  generatePushKey,
  parseAuthSecret,
  parsePublicKey,
} from '../../src/events/push/encrypt'
import {
  buildMessage,
  deliveryOf,
  encodeMessage,
  type PushMessage,
  type PushSources,
  topicOf,
} from '../../src/events/push/message'
import { parseRetryAfter } from '../../src/events/push/sender'
import { anonymousViewer } from '../../src/model/core/privacy'
import { describe, expect, test } from '../tools/test'
import { createBrowser, read, readClaims } from './pushService'

/** Example of RFC 8291, appendix A. */
const rfc = {
  message: 'When I grow up, I want to be a watermelon',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  senderPublic:
    'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

/** Runs with the salt and the sender's key pair of the example instead of random ones. */
async function withKeysOfExample<T>(run: () => Promise<T>): Promise<T> {
  const { getRandomValues, subtle } = crypto
  const { generateKey } = subtle
  const point = Buffer.from(rfc.senderPublic, 'base64url')
  const part = (from: number, to: number) => point.subarray(from, to).toString('base64url')
  const jwk = { kty: 'EC', crv: 'P-256', x: part(1, 33), y: part(33, 65) }
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const pair = {
    privateKey: await subtle.importKey('jwk', { ...jwk, d: rfc.senderPrivate }, curve, true, [
      'deriveBits',
    ]),
    publicKey: await subtle.importKey('raw', point, curve, true, []),
  }
  const salt = (array: Uint8Array) => {
    array.set(Buffer.from(rfc.salt, 'base64url'))
    return array
  }
  Object.defineProperty(crypto, 'getRandomValues', { value: salt, configurable: true })
  Object.defineProperty(subtle, 'generateKey', { value: async () => pair, configurable: true })
  try {
    return await run()
  } finally {
    Object.defineProperty(crypto, 'getRandomValues', { value: getRandomValues })
    Object.defineProperty(subtle, 'generateKey', { value: generateKey })
  }
}

describe('encryption of push messages', () => {
  test('produces the example of RFC 8291', async () => {
    const target = { endpoint: 'https://push.example', p256dh: rfc.p256dh, auth: rfc.auth }
    const message = new TextEncoder().encode(rfc.message)
    const body = await withKeysOfExample(() => encryptFor(target, message))
    expect(Buffer.from(body).toString('base64url')).toBe(rfc.body)
  })

  test('encrypts 100 messages that the browser decrypts', async () => {
    const browser = createBrowser('https://push.example')
    const target = { endpoint: browser.endpoint, ...browser.keys }
    for (let n = 0; n < 100; n++) {
      const message = { kind: 'test', title: `${n}`, text: 'é'.repeat(n), url: '#/', tag: 't' }
      const body = await encryptFor(target, encodeMessage(message as PushMessage))
      const pushed = { path: '', method: 'POST', headers: {}, body: Buffer.from(body) }
      expect(read(pushed, browser).shown).toEqual(message)
    }
  })

  test('signs a token for the origin of the push service', async () => {
    const key = await generatePushKey()
    const browser = createBrowser('https://push.example:8443')
    const target = { endpoint: browser.endpoint, ...browser.keys }
    const before = Math.floor(Date.now() / 1000)
    const authorization = await authorizationFor(target, key, 'mailto:op@multitude.example')
    const pushed = { path: '', method: '', headers: { authorization }, body: Buffer.alloc(0) }
    const { claims, key: shown } = readClaims(pushed)
    expect(claims).toMatchObject({
      aud: 'https://push.example:8443',
      sub: 'mailto:op@multitude.example',
    })
    expect(claims.exp - before).toBeGreaterThan(0)
    expect(claims.exp - Math.floor(Date.now() / 1000)).toBeLessThanOrEqual(24 * 60 * 60)
    expect(shown).toBe(key.public_key)
  })

  test('accepts public keys that are points on P-256, in Base64 or Base64url', async () => {
    const ecdh = createECDH('prime256v1')
    const point = ecdh.generateKeys()
    const text = point.toString('base64url')
    expect(await parsePublicKey(text)).toBe(text)
    expect(await parsePublicKey(point.toString('base64'))).toBe(text)
    const wrong = Buffer.from(point)
    wrong[64] = (wrong[64] ?? 0) ^ 1
    expect(await parsePublicKey(wrong.toString('base64url'))).toBeNull()
    expect(await parsePublicKey(ecdh.getPublicKey('base64url', 'compressed'))).toBeNull()
    expect(await parsePublicKey('')).toBeNull()
    expect(await parsePublicKey(`${text} `)).toBeNull()
    expect(parseAuthSecret(rfc.auth)).toBe(rfc.auth)
    expect(parseAuthSecret(`${rfc.auth}==`)).toBe(rfc.auth)
    expect(parseAuthSecret('BTBZMqHH6r4Tts7J')).toBeNull()
  })
})

describe('push messages', () => {
  const message: PushMessage = { kind: 'posts', title: 'T', text: '', url: '#/', tag: 'x' }

  test.each([
    ['short', 'Hello'],
    ['of many letters', 'a'.repeat(4_000)],
    ['of characters with several bytes', '🌱é'.repeat(2_000)],
    ['of characters that JSON escapes', '\u0001"\\'.repeat(2_000)],
  ])('fits a text %s into 2,000 bytes, padded to a multiple of 256', (_, text) => {
    const bytes = encodeMessage({ ...message, text })
    const json = new TextDecoder().decode(bytes)
    expect(bytes.length % 256).toBe(0)
    expect(Buffer.byteLength(json.trimEnd())).toBeLessThanOrEqual(2_000)
    const shown = JSON.parse(json)
    expect(shown.text.isWellFormed()).toBe(true)
    expect(text.startsWith(shown.text.replace(/…$/, ''))).toBe(true)
    if (text.length > 1_900) expect(Buffer.byteLength(json.trimEnd())).toBeGreaterThan(1_900)
  })

  test('cuts a long title', () => {
    const bytes = encodeMessage({ ...message, title: '🌱'.repeat(200) })
    const { title } = JSON.parse(new TextDecoder().decode(bytes))
    expect(title.length).toBeLessThanOrEqual(100)
    expect(title).toEndWith('🌱…')
  })

  test('has a topic of 32 characters that depends on kind and subject', () => {
    const topic = topicOf('posts', 'a')
    expect(topic).toMatch(/^[\w-]{32}$/)
    expect(topicOf('posts', 'a')).toBe(topic)
    expect(new Set([topic, topicOf('posts', 'b'), topicOf('reminders', 'a')]).size).toBe(3)
  })

  test('reminders are urgent and expire after an hour, the own front is not urgent', () => {
    expect(deliveryOf('reminders')).toEqual({ ttl: 3_600, urgency: 'high' })
    expect(deliveryOf('posts')).toEqual({ ttl: 14_400, urgency: 'normal' })
    expect(deliveryOf('front')).toEqual({ ttl: 14_400, urgency: 'normal' })
    expect(deliveryOf('own_front')).toEqual({ ttl: 14_400, urgency: 'low' })
  })

  const sources: PushSources = {
    front: async () => ({ system: 'Lantern Hill', names: ['Wren', 'Ash'], hidden: 1 }),
    unreadPost: async () => ({ recipient: 'Wren', author: 'Ash', text: 'Milk, please.' }),
    reminder: async () => ({ name: 'Log your front', text: 'Who is here?' }),
    friendFront: async () => ({ name: 'Lantern Hill', names: ['Wren', 'Ash'] }),
  }
  const secrets = /Wren|Ash|Lantern|Milk|Log|Who/

  test.each([
    ['reminders', 'Log your front', 'Who is here?'],
    ['posts', 'Ash wrote to Wren', 'Milk, please.'],
    ['own_front', 'Fronting now', 'Wren, Ash, and 1 more'],
    ['friends', 'Lantern Hill', 'Wren and Ash'],
    ['front', 'Lantern Hill', 'Wren, Ash, and 1 more'],
  ] as const)(
    'of kind %s show names and texts only if the receiver wants them',
    async (kind, title, text) => {
      const request = { kind, subject: 's', shows_names: true }
      const named = await buildMessage(sources, anonymousViewer, request)
      expect(named).toMatchObject({ kind, title, text, tag: topicOf(kind, 's') })
      const request2 = { ...request, shows_names: false }
      const unnamed = await buildMessage(sources, anonymousViewer, request2)
      expect(JSON.stringify(unnamed)).not.toMatch(secrets)
      expect(unnamed?.tag).toBe(named?.tag)
    },
  )

  test.each([
    ['nobody', [], 0, 'Nobody is fronting.'],
    ['one member', ['Wren'], 0, 'Wren'],
    ['only hidden members', [], 2, 'Someone'],
  ])('describe a front of %s', async (_, names, hidden, text) => {
    const front = async () => ({ system: null, names, hidden })
    const request = { kind: 'front', subject: 's', shows_names: true } as const
    expect(await buildMessage({ ...sources, front }, anonymousViewer, request)).toMatchObject({
      title: 'Fronting now',
      text,
    })
  })
})

test.each([
  [undefined, null],
  ['', null],
  ['soon', null],
  ['120', 120],
  ['0', 1],
  ['999999999', 86_400],
  ['Thu, 01 Jan 1970 00:02:00 GMT', 120],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 1],
])('reads Retry-After %p as %p seconds', (text, seconds) => {
  expect(parseRetryAfter(text, 0)).toBe(seconds === null ? null : seconds * 1_000_000)
})
