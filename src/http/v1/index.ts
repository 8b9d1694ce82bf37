import { Elysia } from 'elysia'
import { requireSystem } from '../../model/privacy'
import type { Deps } from '../../service/deps'
import { callerOf } from '../context'
import { isRead } from '../viewer'
import { memberRoutes } from './members'
import { messageRoutes } from './messages'
import { systemRoutes } from './systems'

/** Version 1, for clients that have no other home. */
export function v1(deps: Deps, bodyLimit: number) {
  return new Elysia({ prefix: '/v1', normalize: false })
    .onBeforeHandle(({ request }) => {
      if (!isRead(request.method)) requireSystem(callerOf(request).viewer)
    })
    .use(systemRoutes(deps, bodyLimit))
    .use(memberRoutes(deps, bodyLimit))
    .use(messageRoutes(deps, bodyLimit))
}

/** Version 1 says with every answer that it is old, also with those that no route gives. */
export function markDeprecated(path: string, { headers }: Response): void {
  if (!/^\/v1(\/|$)/.test(path)) return
  headers.set('deprecation', 'true')
  headers.set('link', '</docs>; rel="deprecation"')
}
