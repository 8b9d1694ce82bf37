import { Elysia } from 'elysia'
import type { Deps } from '../../service/deps'
import { refuseStrangersToWrite } from '../routes'
import type { Wire } from '../wire'
import { memberRoutes } from './members'
import { messageRoutes } from './messages'
import { systemRoutes } from './systems'

/** Version 1, for clients that have no other home. */
export function v1(deps: Deps, bodyLimit: number): Wire {
  const nouns = { s: { namesSystem: true }, m: {}, a: {}, msg: { scope: 'message' } } as const
  return {
    prefix: '/v1',
    routes: () =>
      new Elysia({ prefix: '/v1', normalize: false })
        .onBeforeHandle(refuseStrangersToWrite)
        .use(systemRoutes(deps, bodyLimit))
        .use(memberRoutes(deps, bodyLimit))
        .use(messageRoutes(deps, bodyLimit)),
    // It says with every answer that it is old, also with those that no route gives.
    facts: { headers: { deprecation: 'true', link: '</docs>; rel="deprecation"' } },
    nouns,
    // Who asks version 2 for what only this one has is told that the path is wrong.
    elsewhere: Object.fromEntries(
      Object.keys(nouns).map((noun) => [`/v2/${noun}`, { unknown: 'invalidPath' }]),
    ),
  }
}
