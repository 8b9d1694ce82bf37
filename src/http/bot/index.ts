import { Elysia } from 'elysia'
import type { Deps } from '../../service/deps'
import type { Wire } from '../wire'
import { guildRoutes } from './guilds'
import { linkRoutes } from './links'
import { messageRoutes } from './messages'
import { systemRoutes } from './systems'

/** The bot interface: for holders of a bot key alone. */
export function bot(deps: Deps, bodyLimit: number, publicUrl: string): Wire {
  return {
    prefix: '/bot',
    routes: () =>
      new Elysia({ prefix: '/bot', normalize: false })
        .use(systemRoutes(deps, bodyLimit, publicUrl))
        .use(linkRoutes(deps, bodyLimit))
        .use(guildRoutes(deps, bodyLimit))
        .use(messageRoutes(deps, bodyLimit)),
    facts: { isForBots: true },
    nouns: { systems: { namesSystem: true }, messages: { scope: 'message' } },
  }
}
