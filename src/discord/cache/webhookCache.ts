import type { APIWebhook } from 'discord-api-types/v10'
import type { GatewayEvent } from '../gateway/events'
import { hasCode } from '../rest/errors'
import type { RestClient } from '../rest/restClient'

/** A webhook of the bot. The token is a secret: it is kept in memory only and never logged. */
export interface OwnWebhook {
  readonly id: string
  readonly token: string
}

/** Webhooks that proxied messages are sent through: one for each channel, found or created. */
export interface WebhookCache {
  /**
   * Calls `use` with the webhook of a channel; threads use that of their parent. If Discord says
   * that the webhook does not exist any more, it is forgotten and `use` is called once more.
   */
  use<T>(channelId: string, use: (webhook: OwnWebhook) => Promise<T>): Promise<T>
  /** Forgets the webhook of a channel, for example because it was moved to another one. */
  forget(channelId: string): void
  handle(event: GatewayEvent): void
}

export const WEBHOOK_NAME = 'Multitude'

/** Unknown webhook, invalid webhook token. */
const WEBHOOK_GONE = [10015, 50027]
/** Webhooks that applications can execute have this type; others only follow channels. */
const INCOMING = 1
const MAX_CHANNELS = 10_000
const WEBHOOKS = '/channels/{channel_id}/webhooks'

export function createWebhookCache(rest: RestClient, applicationId: () => string): WebhookCache {
  const webhooks = new Map<string, OwnWebhook>()
  const loads = new Map<string, Load>()

  const findOrCreate = async (channel_id: string): Promise<OwnWebhook> => {
    const options = { params: { channel_id }, isProxying: true }
    const all = await rest.request<APIWebhook[]>('GET', WEBHOOKS, options)
    const ownWebhooks = all
      .filter(
        ({ type, application_id }) =>
          Number(type) === INCOMING && application_id === applicationId(),
      )
      .flatMap(({ id, token }) => (token ? [{ id, token }] : []))
      .toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id)))
    if (ownWebhooks[0]) return ownWebhooks[0]
    const { id, token } = await rest.request<APIWebhook>('POST', WEBHOOKS, {
      ...options,
      body: { name: WEBHOOK_NAME },
    })
    if (!token) throw new Error('Discord created a webhook without a token')
    return { id, token }
  }

  /** Joins a load under way even if it is outdated: two at once could create two webhooks. */
  const load = (channelId: string): Promise<OwnWebhook> => {
    const inFlight = loads.get(channelId)
    if (inFlight) return inFlight.webhook
    const started: Load = { webhook: findOrCreate(channelId), isOutdated: false }
    loads.set(channelId, started)
    const finish = (webhook: OwnWebhook | null) => {
      loads.delete(channelId)
      if (!webhook || started.isOutdated) return
      webhooks.set(channelId, webhook)
      const [oldest] = webhooks.keys()
      if (webhooks.size > MAX_CHANNELS && oldest !== undefined) webhooks.delete(oldest)
    }
    started.webhook.then(finish, () => finish(null))
    return started.webhook
  }

  const forget = (channelId: string) => {
    webhooks.delete(channelId)
    const inFlight = loads.get(channelId)
    if (inFlight) inFlight.isOutdated = true
  }

  return {
    async use(channelId, use) {
      const webhook = webhooks.get(channelId) ?? (await load(channelId))
      try {
        return await use(webhook)
      } catch (cause) {
        if (!hasCode(cause, ...WEBHOOK_GONE)) throw cause
        if (webhooks.get(channelId)?.id === webhook.id) forget(channelId)
        return use(webhooks.get(channelId) ?? (await load(channelId)))
      }
    },
    forget,
    handle(event) {
      if (event.type === 'WEBHOOKS_UPDATE') forget(event.data.channel_id)
    },
  }
}

interface Load {
  readonly webhook: Promise<OwnWebhook>
  /** The channel's webhooks changed meanwhile, so the result is not kept. */
  isOutdated: boolean
}
