import { Elysia } from 'elysia'
import type { Deps } from '../../service/deps'
import { guildRoutes } from './guilds'
import { linkRoutes } from './links'
import { messageRoutes } from './messages'
import { systemRoutes } from './systems'

/** The bot interface: for holders of a bot key alone. */
export function bot(deps: Deps, bodyLimit: number) {
  return new Elysia({ prefix: '/bot', normalize: false })
    .use(systemRoutes(deps, bodyLimit))
    .use(linkRoutes(deps, bodyLimit))
    .use(guildRoutes(deps, bodyLimit))
    .use(messageRoutes(deps, bodyLimit))
}
