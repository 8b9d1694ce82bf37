import { t } from 'elysia'
import type { Events } from '../../events/events'
import { MAX_FRONTERS } from '../../model/front/switch'
import { frontToExt, switchFromExt } from '../../serializers/ext'
import { rawBody } from '../../serializers/schema'
import type { Deps } from '../../service/core/deps'
import { getFront } from '../../service/front/front'
import { cancelSwitch, putSwitch } from '../../service/front/putSwitch'
import { getSystem } from '../../service/systems/systems'
import { createFrontStream, frontChanges } from '../server/frontStream'
import { describe, writeErrors } from '../server/openapi'
import { routes, waitingClientOf } from '../server/routeGroup'
import { systemRef } from '../v2/params'
import { showFront } from '../v2/views'

const ofSystem = t.Object({ systemRef })
const ofSwitch = t.Object({
  uuid: t.String({
    description: 'UUID (version 4) that the client chose',
    example: '2f1a0b3c-4d5e-4f60-8a9b-0c1d2e3f4a5b',
  }),
})

/** The front with stints and status texts, and switches under UUIDs that clients choose. */
export function frontRoutes(deps: Deps, events: Events, bodyLimit: number) {
  const openFront = createFrontStream(deps, events, {
    event: 'front',
    changes: [
      ...frontChanges,
      'UPDATE_MEMBER_EXT',
      'CREATE_FRONT_NOTE',
      'UPDATE_FRONT_NOTE',
      'DELETE_FRONT_NOTE',
      'UPDATE_EXT_SETTINGS',
    ],
    render: async (_, viewer, system) => {
      const detailedFront = await getFront(deps, viewer, system)
      return JSON.stringify(
        detailedFront && frontToExt(detailedFront.front, detailedFront.fronters),
      )
    },
  })
  return routes(bodyLimit)
    .get(
      '/systems/:systemRef/front',
      async ({ params, viewer, request, set }) => {
        const system = await getSystem(deps, viewer, params.systemRef)
        const detailedFront = await getFront(deps, viewer, system, waitingClientOf(request))
        if (detailedFront) return frontToExt(detailedFront.front, detailedFront.fronters)
        set.status = 204
        return
      },
      {
        params: ofSystem,
        detail: describe({
          tag: 'Switches',
          id: 'getFront',
          summary: 'Get the current front',
          description:
            'Returns the latest switch: each fronter with the beginning of the stint and the status. Statuses are null for other callers unless `front_status_privacy` is public. 204 means that the system has no switches.',
          responses: { 200: 'Front', 204: null },
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'frontersHidden'],
        }),
      },
    )
    .get(
      '/systems/:systemRef/front/stream',
      ({ params, request, viewer }) => openFront(request, viewer, params.systemRef),
      {
        params: ofSystem,
        detail: describe({
          tag: 'Events',
          id: 'streamFront',
          summary: 'Stream the current front',
          description:
            'Server-Sent Events: one `front` event immediately, then one on each change. `data` is the response of `GET …/front`, or null before the first switch.',
          responses: { 200: t.String({ description: 'Server-Sent Events' }) },
          types: ['text/event-stream'],
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'frontersHidden'],
        }),
      },
    )
    .put(
      '/systems/@me/switches/:uuid',
      async ({ params, viewer, body, set }) => {
        const draft = switchFromExt(body, deps.now())
        const { front, isNew } = await putSwitch(deps, viewer, params.uuid, draft)
        if (isNew) set.status = 201
        return showFront(front, 'owner')
      },
      {
        params: ofSwitch,
        body: rawBody({
          type: 'object',
          required: ['members'],
          properties: {
            members: {
              type: 'array',
              maxItems: MAX_FRONTERS,
              items: {
                anyOf: [
                  { type: 'string' },
                  {
                    type: 'object',
                    required: ['id'],
                    properties: { id: { type: 'string' }, status: { type: ['string', 'null'] } },
                  },
                ],
              },
              description:
                'References of members, in order, each alone or as `{ "id", "status" }`; an empty list is a switch-out',
            },
            timestamp: {
              type: ['string', 'null'],
              format: 'date-time',
              description: 'Time of the switch, at most one day in the future; defaults to now',
            },
            comment: { type: ['string', 'null'], description: 'Comment on the whole front' },
          },
          example: { members: [], comment: 'Good night.' },
        }),
        detail: describe({
          tag: 'Switches',
          id: 'putSwitch',
          summary: 'Log a switch under a UUID of your choice',
          description:
            'Makes retries safe: the same request again responds with 200 and changes nothing. The UUID (version 4) must be new: with other content the response is 409, after a deletion 410. Unlike `POST`, a switch may repeat the one before it.',
          responses: { 200: 'Switch', 201: 'Switch' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'duplicateMembers',
            'sameTimestamp',
            'invalidSwitchId',
            'limitReached',
            'forbidden',
            'notYourMemberRef',
            'memberRefNotFound',
            'conflict',
            'gone',
          ],
        }),
      },
    )
    .delete(
      '/systems/@me/switches/:uuid',
      async ({ params, viewer, set }) => {
        await cancelSwitch(deps, viewer, params.uuid)
        set.status = 204
      },
      {
        params: ofSwitch,
        detail: describe({
          tag: 'Switches',
          id: 'cancelSwitch',
          summary: 'Delete a switch, or prevent that it is created',
          description:
            'Also succeeds if there is no such switch: a PUT of this UUID that arrives within 30 days is then refused with 410.',
          responses: { 204: null },
          errors: [...writeErrors, 'invalidSwitchId', 'forbidden'],
        }),
      },
    )
}
