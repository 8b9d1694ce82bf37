import type { APIApplication, APIUser } from 'discord-api-types/v10'
import type { RestClient } from '../rest/restClient'
import type { Identity } from './core'

/** Reads the account and the application of the bot. A resumed session does not contain them. */
export async function loadIdentity(rest: RestClient): Promise<Identity> {
  const [{ id, username }, { id: applicationId }] = await Promise.all([
    rest.request<APIUser>('GET', '/users/@me'),
    rest.request<APIApplication>('GET', '/applications/@me'),
  ])
  return { userId: id, applicationId, name: username }
}
