import type { Fixture } from '../../tools/scenarios'

/** Callers of the extension API: systems, an anonymous caller, and tokens of the owner by scope. */
export const callers = [
  'owner',
  'front',
  'read',
  'watch',
  'watch all',
  'calendar',
  'other',
  'anonymous',
] as const

export type Caller = (typeof callers)[number]

/** Callers that act as the owner with the permission `read`. */
export function isOwnerCaller(caller: Caller): boolean {
  return caller === 'owner' || caller === 'front' || caller === 'read'
}

/** Returns the headers of a caller, for which a token is created if necessary. */
export async function headersOf(fixture: Fixture, caller: Caller): Promise<Record<string, string>> {
  if (caller === 'anonymous') return {}
  if (caller === 'other') return { authorization: fixture.other.token }
  if (caller === 'owner') return { authorization: fixture.owner.token }
  const [scope = ''] = caller.split(' ')
  const body = { name: caller, scope, ...(caller === 'watch all' && { private_members: true }) }
  const { token } = await fixture.do('POST /v2/systems/@me/tokens', body)
  return { authorization: String(token) }
}
