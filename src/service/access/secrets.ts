import { createHash, randomBytes } from 'node:crypto'

/** 48 random bytes in base64: 64 characters. Shown once, when made. */
export function generateSecret(): string {
  return randomBytes(48).toString('base64')
}

/** What is kept of a secret. It is random enough that a plain hash cannot be guessed back. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
