import { Elysia } from 'elysia'
import type { Deps } from '../../service/core/deps'
import type { ApiModule } from '../server/apiModule'
import { requireWriteAccess } from '../server/routeGroup'
import type { OriginConfig } from '../server/sessionCookie'
import { importPlaceRoute } from './importPlace'
import { createLoginGuard } from './loginGuard'
import { preferenceRoutes } from './preferences'
import { registrationRoutes } from './registration'
import { loginRoutes, ownSessionRoute, sessionRoutes } from './sessions'

/** Endpoints that the dashboard needs in addition to version 2. */
export function web(deps: Deps, bodyLimit: number, origin: OriginConfig): ApiModule {
  return {
    prefix: '/web',
    routes: () => {
      const guard = createLoginGuard(origin, deps.clock)
      return new Elysia({ prefix: '/web', normalize: false })
        .use(ownSessionRoute(deps, bodyLimit))
        .use(loginRoutes(deps, origin, guard))
        .use(registrationRoutes(deps, origin, guard))
        .use(
          new Elysia({ normalize: false })
            .onBeforeHandle(requireWriteAccess)
            .use(sessionRoutes(deps, bodyLimit, origin))
            .use(preferenceRoutes(deps, bodyLimit))
            .use(importPlaceRoute(deps, bodyLimit)),
        )
    },
    policy: { isSameOriginOnly: true },
    resources: {
      session: { isLogin: true },
      login: { isLogin: true },
      setup: { isLogin: true },
      systems: { isLogin: true },
    },
  }
}
