import type { EventWebhooks } from '../discord/commands/context'
import type { Events } from '../events/events'
import { chooseToken, findWebhook, registerWebhook, removeWebhook } from '../events/webhooks'
import { throwIfInvalid } from '../model/core/entity'
import { url as urlField } from '../model/core/field'
import { requireSystem } from '../model/core/privacy'
import { Problem } from '../model/core/validation'

const address = urlField({ doc: 'URL that events are sent to' })

/** Passes the webhooks for events of systems to the commands of the Discord bot. */
export function createEventWebhooks({ deps, dispatcher }: Events): EventWebhooks {
  return {
    async find(viewer) {
      const webhook = await findWebhook(deps.db, requireSystem(viewer, 'manage'))
      return webhook && { url: webhook.url, state: webhook.state }
    },
    async register(viewer, text) {
      requireSystem(viewer, 'manage')
      const url = address.parse(text)
      if (url instanceof Problem) throwIfInvalid({ url: [url] })
      await dispatcher.checkUrl(String(url))
      const token = String(chooseToken(null))
      await registerWebhook(deps, viewer, { url: String(url), token, events: 'pluralkit' })
      return token
    },
    remove: (viewer) => removeWebhook(deps, viewer),
  }
}
