import { createHash, randomBytes } from 'node:crypto'

/** Generates 48 random bytes in base64, which are 64 characters. */
export function generateSecret(): string {
  return randomBytes(48).toString('base64')
}

/** Generates 32 random bytes in base64url, which are 43 characters, for cookies and links. */
export function generateUrlSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a secret for storage. Secrets are random enough that a plain hash is safe. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
