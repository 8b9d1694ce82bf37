import { Elysia } from 'elysia'
import type { Events } from '../../events/events'
import type { Deps } from '../../service/deps'
import { requireSystem } from '../../service/systems'
import { callerOf } from '../note'
import { isRead } from '../viewer'
import { frontingRoutes } from './fronting'
import { groupRoutes } from './groups'
import { guildRoutes } from './guilds'
import { linkRoutes } from './links'
import { memberRoutes } from './members'
import { messageRoutes } from './messages'
import { streamRoutes } from './streams'
import { switchRoutes } from './switches'
import { systemRoutes } from './systems'
import { transferRoutes } from './transfer'
import { webhookRoutes } from './webhook'

export interface Limits {
  bodyLimit: number
  importLimit: number
  trustedProxies: number
}

/** Version 2, mounted under a prefix. Nobody may write: that is said before a body is looked at. */
export function v2(deps: Deps, events: Events, limits: Limits, prefix: '/v2' | '') {
  const { bodyLimit, importLimit, trustedProxies } = limits
  return new Elysia({ prefix, normalize: false, ...(prefix === '' && { detail: { hide: true } }) })
    .onBeforeHandle(refuseNobody)
    .use(systemRoutes(deps, bodyLimit))
    .use(linkRoutes(deps, bodyLimit))
    .use(guildRoutes(deps, bodyLimit))
    .use(memberRoutes(deps, bodyLimit))
    .use(groupRoutes(deps, bodyLimit))
    .use(switchRoutes(deps, bodyLimit))
    .use(frontingRoutes(deps, bodyLimit))
    .use(messageRoutes(deps, bodyLimit))
    .use(webhookRoutes(events, bodyLimit))
    .use(streamRoutes(deps, events, bodyLimit, trustedProxies))
    .use(transferRoutes(deps, importLimit))
}

function refuseNobody({ request }: { request: Request }): void {
  if (!isRead(request.method)) requireSystem(callerOf(request).viewer)
}
