import {
  encryptNotification,
  type PushSubscription as LibrarySubscription,
  vapidHeaders,
} from '@block65/webcrypto-web-push'
import type { PushSubscription } from '../../model/push/pushTarget'

/** Key pair that identifies this server to push services. */
export interface PushKey {
  /** JSON Web Key. */
  readonly private_jwk: string
  /** Uncompressed point in Base64url, as browsers expect it. */
  readonly public_key: string
}

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const

export async function generatePushKey(): Promise<PushKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const point = await crypto.subtle.exportKey('raw', publicKey)
  return {
    private_jwk: JSON.stringify(await crypto.subtle.exportKey('jwk', privateKey)),
    public_key: Buffer.from(point).toString('base64url'),
  }
}

/** Encrypts a message for a browser (RFC 8291), without further padding. */
export function encryptFor(target: PushSubscription, message: Uint8Array): Promise<Uint8Array> {
  return encryptNotification(forLibrary(target), message, { pad: false })
}

/** Builds the header that proves to the push service which server sends (RFC 8292). */
export async function authorizationFor(
  target: PushSubscription,
  { private_jwk, public_key }: PushKey,
  contact: string,
): Promise<string> {
  const { d } = JSON.parse(private_jwk) as { d: string }
  const { headers } = await vapidHeaders(forLibrary(target), {
    subject: contact,
    publicKey: public_key,
    privateKey: d,
  })
  return headers.authorization
}

/** Returns a public key of a browser in Base64url, or null if it is none. */
export async function parsePublicKey(text: string): Promise<string | null> {
  const bytes = decode(text)
  if (bytes?.length !== 65 || bytes[0] !== 4) return null
  const ecdh = { name: 'ECDH', namedCurve: 'P-256' }
  const isPoint = await crypto.subtle.importKey('raw', bytes, ecdh, false, []).then(
    () => true,
    () => false,
  )
  return isPoint ? bytes.toString('base64url') : null
}

/** Returns a secret of a browser in Base64url, or null if it has not 16 bytes. */
export function parseAuthSecret(text: string): string | null {
  const bytes = decode(text)
  return bytes?.length === 16 ? bytes.toString('base64url') : null
}

/** Decodes Base64 or Base64url, with or without padding. */
function decode(text: string): Buffer<ArrayBuffer> | null {
  return /^[\w+/-]{1,100}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null
}

function forLibrary({ endpoint, p256dh, auth }: PushSubscription): LibrarySubscription {
  return { endpoint, expirationTime: null, keys: { p256dh, auth } }
}
