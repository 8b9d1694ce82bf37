import type { JsonObject } from '../../model/entity'

/** A short text can be valid base64 by chance. */
const MIN_ENCRYPTED_LENGTH = 12

/** Detects a message that is encrypted with the key of Simply Plural's server. */
export function isEncrypted({ iv, message }: JsonObject): boolean {
  if (typeof message !== 'string' || message.length <= MIN_ENCRYPTED_LENGTH) return false
  if (typeof iv !== 'string' || decode(iv)?.length !== 16) return false
  const bytes = decode(message)
  return bytes !== null && !isReadable(bytes)
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
