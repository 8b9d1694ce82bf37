import type { Config } from '../runtime/config/config'

/** Returns the contact that push services get; null if push is off or there is none they accept. */
export function pushContact({
  PUSH,
  PUSH_CONTACT,
  PUBLIC_URL,
}: Pick<Config, 'PUSH' | 'PUSH_CONTACT' | 'PUBLIC_URL'>): string | null {
  if (PUSH === 'off') return null
  const contact = PUSH_CONTACT || PUBLIC_URL
  return /^(https|mailto):/i.test(contact) ? contact : null
}
