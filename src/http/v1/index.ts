import { Elysia } from 'elysia'
import type { Deps } from '../../service/deps'
import type { ApiModule } from '../apiModule'
import { requireWriteAccess } from '../routeGroup'
import { memberRoutes } from './members'
import { messageRoutes } from './messages'
import { systemRoutes } from './systems'

/** Version 1, for clients that have no other home. */
export function v1(deps: Deps, bodyLimit: number): ApiModule {
  const resources = {
    s: { hasSystemParam: true },
    m: {},
    a: {},
    msg: { scope: 'message' },
  } as const
  return {
    prefix: '/v1',
    routes: () =>
      new Elysia({ prefix: '/v1', normalize: false })
        .onBeforeHandle(requireWriteAccess)
        .use(systemRoutes(deps, bodyLimit))
        .use(memberRoutes(deps, bodyLimit))
        .use(messageRoutes(deps, bodyLimit)),
    // It says with every answer that it is old, also with those that no route gives.
    policy: { headers: { deprecation: 'true', link: '</docs>; rel="deprecation"' } },
    resources,
    // Who asks version 2 for what only this one has is told that the path is wrong.
    overrides: Object.fromEntries(
      Object.keys(resources).map((noun) => [`/v2/${noun}`, { notFoundError: 'invalidPath' }]),
    ),
  }
}
