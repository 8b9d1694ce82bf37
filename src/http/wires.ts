import type { Config } from '../config'
import type { Events } from '../events/events'
import type { Deps } from '../service/deps'
import { bot } from './bot'
import { createDocument } from './openapi'
import { privateWire } from './private'
import { v1 } from './v1'
import { v2 } from './v2'
import { web } from './web'
import { placeOf } from './web/cookie'
import type { Wire } from './wire'

/** What the routes are made of. */
export interface RouteParts {
  deps: Deps
  events: Events
  config: Config
}

/** Every interface that is documented. */
export function documentedWires({ deps, events, config }: RouteParts): Wire[] {
  const { BODY_LIMIT } = config
  return [
    v2(deps, events, limitsOf(config), '/v2'),
    v1(deps, BODY_LIMIT),
    bot(deps, BODY_LIMIT, config.PUBLIC_URL),
    privateWire(deps, BODY_LIMIT),
    web(deps, BODY_LIMIT, placeOf(config)),
  ]
}

/** Version 2 once more, where others are not. */
export function rootWire({ deps, events, config }: RouteParts): Wire {
  return v2(deps, events, limitsOf(config), '')
}

/** The OpenAPI document of this server. */
export function describeRoutes(parts: RouteParts): Promise<object> {
  return createDocument(documentedWires(parts), parts.config.PUBLIC_URL)
}

function limitsOf({ BODY_LIMIT, IMPORT_LIMIT, TRUST_PROXY }: Config) {
  return { bodyLimit: BODY_LIMIT, importLimit: IMPORT_LIMIT, trustedProxies: TRUST_PROXY }
}
