import { Elysia } from 'elysia'
import type { Deps } from '../../service/deps'
import { refuseStrangersToWrite } from '../routes'
import type { Wire } from '../wire'
import type { Place } from './cookie'
import { createFailures } from './failures'
import { preferenceRoutes } from './preferences'
import { loginRoutes, ownSessionRoute, sessionRoutes } from './sessions'

/** What the dashboard asks beside version 2: logging in, and what it remembers. */
export function web(deps: Deps, bodyLimit: number, place: Place): Wire {
  return {
    prefix: '/web',
    routes: () =>
      new Elysia({ prefix: '/web', normalize: false })
        .use(ownSessionRoute(deps, bodyLimit))
        .use(loginRoutes(deps, place, createFailures()))
        .use(
          new Elysia({ normalize: false })
            .onBeforeHandle(refuseStrangersToWrite)
            .use(sessionRoutes(deps, bodyLimit, place))
            .use(preferenceRoutes(deps, bodyLimit)),
        ),
    facts: { isOfPage: true },
    nouns: {
      session: { isDoor: true },
      login: { isDoor: true },
    },
  }
}
