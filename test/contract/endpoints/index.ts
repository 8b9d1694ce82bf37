import { bot } from './bot'
import type { Endpoint } from './endpoint'
import { ext } from './ext'
import { pluralKit } from './pluralKit'
import { v1 } from './v1'
import { v2 } from './v2'
import { web } from './web'

/** Rows by API, in the notation of the API document. */
export const endpointsByApi = { pluralKit, v2, v1, ext, bot, web }

/** Contract of every endpoint. */
export const endpoints: Record<string, Endpoint> = Object.assign(
  {},
  ...Object.values(endpointsByApi),
)
