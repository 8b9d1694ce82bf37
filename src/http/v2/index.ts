import { Elysia } from 'elysia'
import type { Events } from '../../events/events'
import type { Deps } from '../../service/core/deps'
import type { ApiModule } from '../server/apiModule'
import { requireWriteAccess } from '../server/routeGroup'
import { frontingRoutes } from './fronting'
import { groupRoutes } from './groups'
import { guildRoutes } from './guilds'
import { linkRoutes } from './links'
import { memberRoutes } from './members'
import { messageRoutes } from './messages'
import { streamRoutes } from './streams'
import { switchRoutes } from './switches'
import { systemRoutes } from './systems'
import { tokenRoutes } from './tokens'
import { transferRoutes } from './transfer'
import { webhookRoutes } from './webhook'

export interface Limits {
  bodyLimit: number
  importLimit: number
}

/** Version 2 under a prefix. Callers without write access are refused before a body is parsed. */
export function v2(deps: Deps, events: Events, limits: Limits, prefix: '/v2' | ''): ApiModule {
  const { bodyLimit, importLimit } = limits
  const hidden = prefix === '' && { detail: { hide: true } }
  return {
    prefix,
    routes: () =>
      new Elysia({ prefix, normalize: false, ...hidden })
        .onBeforeHandle(requireWriteAccess)
        .use(systemRoutes(deps, bodyLimit))
        .use(linkRoutes(deps, bodyLimit))
        .use(tokenRoutes(deps, bodyLimit))
        .use(guildRoutes(deps, bodyLimit))
        .use(memberRoutes(deps, bodyLimit))
        .use(groupRoutes(deps, bodyLimit))
        .use(switchRoutes(deps, bodyLimit))
        .use(frontingRoutes(deps, bodyLimit))
        .use(messageRoutes(deps, bodyLimit))
        .use(webhookRoutes(events, bodyLimit))
        .use(streamRoutes(deps, events, bodyLimit))
        .use(transferRoutes(deps, importLimit)),
    policy: { isCacheable: true },
    resources: {
      systems: { hasSystemParam: true },
      members: {},
      groups: {},
      messages: { scope: 'message' },
    },
  }
}
