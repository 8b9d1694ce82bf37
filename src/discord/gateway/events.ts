import type { GatewayDispatchPayload } from 'discord-api-types/v10'

/** A dispatch event of the gateway, for example `{ type: 'MESSAGE_CREATE', data }`. */
export type GatewayEvent = EventOf<GatewayDispatchPayload>

type EventOf<Payload> = Payload extends { t: infer Type extends string; d: infer Data }
  ? Type extends string
    ? { readonly type: `${Type}`; readonly data: Data }
    : never
  : never
