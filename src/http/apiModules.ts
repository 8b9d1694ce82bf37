import type { Events } from '../events/events'
import type { Config } from '../runtime/config/config'
import type { Deps } from '../service/core/deps'
import { bot } from './bot'
import { ext } from './ext'
import { pictures } from './pictureFiles'
import { privateModule } from './privateApi'
import type { ApiModule } from './server/apiModule'
import { createDocument } from './server/openapi'
import { originConfig } from './server/sessionCookie'
import { v1 } from './v1'
import { v2 } from './v2'
import { web } from './web'

/** Dependencies of the routes. */
export interface RouteParts {
  deps: Deps
  events: Events
  config: Config
}

/** Lists the API modules that the OpenAPI document describes. */
export function documentedModules({ deps, events, config }: RouteParts): ApiModule[] {
  const { BODY_LIMIT } = config
  return [
    v2(deps, events, limitsOf(config), '/v2'),
    ext(deps, events, BODY_LIMIT),
    pictures(deps),
    v1(deps, BODY_LIMIT),
    bot(deps, limitsOf(config), config.PUBLIC_URL),
    privateModule(deps, BODY_LIMIT),
    web(deps, BODY_LIMIT, originConfig(config)),
  ]
}

/** Version 2 without its `/v2` prefix, for paths that no other module has. */
export function rootModule({ deps, events, config }: RouteParts): ApiModule {
  return v2(deps, events, limitsOf(config), '')
}

/** Builds the OpenAPI document of this server. */
export function describeRoutes(parts: RouteParts): Promise<object> {
  return createDocument(documentedModules(parts), parts.config.PUBLIC_URL)
}

function limitsOf({ BODY_LIMIT, IMPORT_LIMIT }: Config) {
  return { bodyLimit: BODY_LIMIT, importLimit: IMPORT_LIMIT }
}
