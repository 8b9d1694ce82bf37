import { Elysia } from 'elysia'
import type { Deps } from '../../service/core/deps'
import type { ApiModule } from '../server/apiModule'
import { requireWriteAccess } from '../server/routeGroup'
import { memberRoutes } from './members'
import { messageRoutes } from './messages'
import { systemRoutes } from './systems'

/** Version 1, for clients that do not support version 2. */
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
    // Every response is marked as deprecated, including those without a route.
    policy: { headers: { deprecation: 'true', link: '</docs>; rel="deprecation"' } },
    resources,
    // Requests to version 2 for paths that only version 1 has get a specific error.
    overrides: Object.fromEntries(
      Object.keys(resources).map((segment) => [`/v2/${segment}`, { notFoundError: 'invalidPath' }]),
    ),
  }
}
