import { Elysia } from 'elysia'
import { error } from '../../model/errors'
import type { Deps } from '../../service/deps'
import { callerOf } from '../viewer'
import { guildRoutes } from './guilds'
import { messageRoutes } from './messages'
import { systemRoutes } from './systems'

/** The bot interface: for holders of a bot key alone. */
export function bot(deps: Deps, bodyLimit: number) {
  return new Elysia({ prefix: '/bot', normalize: false })
    .onBeforeHandle(({ request }) => {
      const { kind } = callerOf(request)
      if (kind === 'nobody') throw error('unauthorized')
      if (kind === 'system') throw error('forbidden')
    })
    .use(systemRoutes(deps, bodyLimit))
    .use(guildRoutes(deps, bodyLimit))
    .use(messageRoutes(deps, bodyLimit))
}
