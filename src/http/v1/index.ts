import { Elysia } from 'elysia'
import { nobody } from '../../model/privacy'
import type { Deps } from '../../service/deps'
import { requireSystem } from '../../service/systems'
import { callers, isRead } from '../viewer'
import { memberRoutes } from './members'
import { messageRoutes } from './messages'
import { systemRoutes } from './systems'

/** Version 1, for clients that have no other home. It says with every answer that it is old. */
export function v1(deps: Deps, bodyLimit: number) {
  return new Elysia({ prefix: '/v1', normalize: false })
    .onTransform(({ set }) => {
      set.headers.deprecation = 'true'
      set.headers.link = '</docs>; rel="deprecation"'
    })
    .onBeforeHandle(({ request }) => {
      if (!isRead(request.method)) requireSystem(callers.get(request)?.viewer ?? nobody)
    })
    .use(systemRoutes(deps, bodyLimit))
    .use(memberRoutes(deps, bodyLimit))
    .use(messageRoutes(deps, bodyLimit))
}
