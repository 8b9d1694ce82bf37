import { normalizeId } from './platform'

/** Reference in a request: `@me`, a UUID, a linked account or a short ID ("hid"). */
export type Ref = { hid: string } | { uuid: string }
export type SystemRef = Ref | { me: true } | { account: string }

/** Letters of new short IDs, without those that are easily misread. */
export const HID_ALPHABET = 'abcefghjknoprstuvwxyz'
export const HID_LENGTH = 6

export function parseSystemRef(text: string): SystemRef | null {
  if (text === '@me') return { me: true }
  return parseRef(text) ?? parseAccountRef(text)
}

/**
 * Accepts digits without a platform only if they are as long as Discord's IDs; shorter ones are
 * likely mistakes.
 */
function parseAccountRef(text: string): SystemRef | null {
  if (!text.includes(':') && !/^\d{17,19}$/.test(text)) return null
  const account = normalizeId(text)
  return account === null ? null : { account }
}

export function parseRef(text: string): Ref | null {
  if (/^[a-z]{5,6}$/i.test(text)) return { hid: text.toLowerCase() }
  if (isUuid(text)) return { uuid: text.toLowerCase() }
  if (/^[a-z]{3}-[a-z]{3}$/i.test(text)) return { hid: text.replace('-', '').toLowerCase() }
  return null
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}
