import { Elysia } from 'elysia'
import { nobody } from '../../model/privacy'
import type { Deps } from '../../service/deps'
import { requireSystem } from '../../service/systems'
import { callers } from '../viewer'
import { systemRoutes } from './systems'

/** Version 2, mounted under a prefix. Nobody may write: that is said before a body is looked at. */
export function v2(deps: Deps, bodyLimit: number, prefix: '/v2' | '') {
  return new Elysia({ prefix, normalize: false, detail: { hide: prefix === '' } })
    .onBeforeHandle(({ request }) => {
      if (request.method !== 'GET') requireSystem(callers.get(request)?.viewer ?? nobody)
    })
    .use(systemRoutes(deps, bodyLimit))
}
