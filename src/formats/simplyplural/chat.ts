import type { JsonObject } from '../../model/core/entity'

/** A short text can be valid base64 by chance. */
const MIN_ENCRYPTED_LENGTH = 12

/** A text of this length is base64 by chance in no language. */
const LONG_TEXT = 40

/**
 * Returns a function that detects messages that are encrypted with the key of Simply Plural's server.
 * A file is encrypted as a whole, so its long texts decide for short ones that could be either.
 */
export function encryptedMessages(rows: readonly JsonObject[]): (row: JsonObject) => boolean {
  const long = rows.filter(
    ({ message }) => typeof message === 'string' && message.length > LONG_TEXT,
  )
  const isWhole = long.filter(isEncrypted).length * 2 > long.length
  return isWhole ? mayBeEncrypted : isEncrypted
}

/** A few words can be base64 by chance. */
const MIN_REMAINS = 3

/**
 * Returns true if the rows look like what an earlier release did not recognize in a file of encrypted
 * messages: short texts, all of them base64.
 */
export function areRemainsOfEncrypted(rows: readonly JsonObject[]): boolean {
  const withIv = rows.filter(({ iv }) => typeof iv === 'string')
  return withIv.length >= MIN_REMAINS && withIv.every(mayBeEncrypted)
}

/** Detects an encrypted message by itself. */
export function isEncrypted(row: JsonObject): boolean {
  const { message } = row
  if (typeof message !== 'string' || message.length <= MIN_ENCRYPTED_LENGTH) return false
  const bytes = decode(message)
  return mayBeEncrypted(row) && bytes !== null && !isReadable(bytes)
}

function mayBeEncrypted({ iv, message }: JsonObject): boolean {
  if (typeof message !== 'string' || typeof iv !== 'string') return false
  return decode(iv)?.length === 16 && decode(message) !== null
}

function decode(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null
  return Uint8Array.fromBase64(text)
}

function isReadable(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return !/[^\P{Cc}\t\n\r]/u.test(text)
  } catch {
    return false
  }
}
