import { Elysia } from 'elysia'
import type { Deps } from '../../service/core/deps'
import type { ApiModule } from '../server/apiModule'
import { guildRoutes } from './guilds'
import { importRoutes } from './imports'
import { linkRoutes } from './links'
import { messageRoutes } from './messages'
import { systemRoutes } from './systems'

/** Bot API, which requires a bot key. */
export function bot(
  deps: Deps,
  { bodyLimit, importLimit }: { bodyLimit: number; importLimit: number },
  publicUrl: string,
): ApiModule {
  return {
    prefix: '/bot',
    routes: () =>
      new Elysia({ prefix: '/bot', normalize: false })
        .use(systemRoutes(deps, bodyLimit, publicUrl))
        .use(linkRoutes(deps, bodyLimit))
        .use(importRoutes(deps, importLimit))
        .use(guildRoutes(deps, bodyLimit))
        .use(messageRoutes(deps, bodyLimit)),
    policy: { requiresBotKey: true },
    resources: { systems: { hasSystemParam: true }, messages: { scope: 'message' } },
  }
}
