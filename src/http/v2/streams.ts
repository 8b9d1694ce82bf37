import { t } from 'elysia'
import { newestPosition, streamEvents } from '../../events/eventStream'
import type { Events } from '../../events/events'
import { error } from '../../model/core/errors'
import { audienceOf, requireSystem } from '../../model/core/privacy'
import type { Deps } from '../../service/core/deps'
import { getFronters } from '../../service/front/switches'
import { getSystem } from '../../service/systems/systems'
import {
  clientKeyOf,
  createFrontStream,
  eventStream,
  frontChanges,
  isStillValid,
} from '../server/frontStream'
import { describe } from '../server/openapi'
import { routes } from '../server/routeGroup'
import { systemRef } from './params'
import { showFront } from './views'

const TAG = 'Events'

/** Live streams as Server-Sent Events. */
export function streamRoutes(deps: Deps, events: Events, bodyLimit: number) {
  const openFronters = createFrontStream(deps, events, {
    event: 'fronters',
    changes: frontChanges,
    render: async (_, viewer, system) => {
      const front = await getFronters(deps, viewer, system)
      return JSON.stringify(front && showFront(front, audienceOf(viewer, system.id)))
    },
  })
  return routes(bodyLimit)
    .get(
      '/systems/@me/events',
      async ({ request, viewer }) => {
        requireSystem(viewer, 'follow')
        const { uuid } = await getSystem(deps, viewer, '@me')
        // Read before the response: events recorded after it must be sent.
        const position = parseLastEventId(request.headers) ?? (await newestPosition(events, viewer))
        const checks = { isAuthorized: isStillValid(request, viewer) }
        return eventStream(events, clientKeyOf(request), checks, (reader) =>
          streamEvents(events, viewer, reader, uuid, position),
        )
      },
      {
        detail: describe({
          tag: TAG,
          id: 'streamEvents',
          summary: 'Stream the events of your system',
          description:
            'Server-Sent Events with `id`, `event` and JSON as `data`. Each event is sent once, in the order of IDs. With `Last-Event-ID`, missed events are sent first. If some of them are no longer stored, or the ID is above the newest one, a `gap` event with `{ "after": id, "before": id }` is sent instead. A comment is sent every 15 seconds to keep the connection open.',
          requiresAuth: true,
          responses: { 200: eventStreamSchema },
          types: ['text/event-stream'],
          headers: { 'Last-Event-ID': '`id` of the last event that the client received' },
          errors: ['badRequest', 'unauthorized'],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronters/stream',
      ({ params, request, viewer }) => openFronters(request, viewer, params.systemRef),
      {
        params: t.Object({ systemRef }),
        detail: describe({
          tag: TAG,
          id: 'streamFronters',
          summary: 'Stream the current fronters',
          description:
            'Server-Sent Events: one `fronters` event immediately, then one on each change. `data` is the response of `GET …/fronters`. No token is needed for systems whose front is public.',
          responses: { 200: eventStreamSchema },
          types: ['text/event-stream'],
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'frontersHidden'],
        }),
      },
    )
}

const eventStreamSchema = t.String({ description: 'Server-Sent Events' })

function parseLastEventId(headers: Headers): number | null {
  const text = headers.get('last-event-id')
  if (text === null || text === '') return null
  if (!/^\d{1,15}$/.test(text)) throw error('badRequest', 'Last-Event-ID must be a number')
  return Number(text)
}
