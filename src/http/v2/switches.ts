import { t } from 'elysia'
import { MAX_FRONTERS, SWITCHES_PER_PAGE } from '../../model/front/switch'
import { EXAMPLE_MEMBER, listBody, rawBody } from '../../serializers/schema'
import { switchFromV2, switchMembersFromV2, switchTimeFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import {
  changeSwitchMembers,
  createSwitch,
  deleteSwitch,
  moveSwitch,
} from '../../service/front/switches'
import { readSwitch, readSwitches } from '../../service/reads/objects'
import { describe, writeErrors } from '../server/openapi'
import { parameter, parameters, parseLimit, parseTime } from '../server/query'
import { direct, routes } from '../server/routeGroup'
import { switchRef, systemRef } from './params'
import { showFront } from './views'
import { readFrontersByAccess } from './watch'

const ofSystem = t.Object({ systemRef })
const ofSwitch = t.Object({ systemRef, switchRef })

export function switchRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/:systemRef/switches',
      async ({ params, query, viewer }) => {
        const range = { before: parseTime('before', query.before), limit: parseLimit(query.limit) }
        return await readSwitches(deps, viewer, params.systemRef, range)
      },
      {
        params: ofSystem,
        query: parameters({
          before: parameter({
            type: 'string',
            format: 'date-time',
            description: 'Return only switches before this time',
          }),
          limit: parameter({
            type: 'integer',
            minimum: 1,
            // No `default` here: Elysia would add it to the query as a number.
            description: `Number of switches; default and maximum ${SWITCHES_PER_PAGE}`,
          }),
        }),
        detail: describe({
          tag: 'Switches',
          id: 'listSwitches',
          summary: 'List a system’s switches',
          description:
            'Returns the newest switches first. For the next page, pass the `timestamp` of the last switch as `before`. Members are short IDs here; get a single switch for full member objects.',
          responses: { 200: ['SwitchOfIds'] },
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'historyHidden'],
        }),
      },
    )
    .get('/systems/:systemRef/fronters', direct(deps, readFrontersByAccess), {
      params: ofSystem,
      detail: describe({
        tag: 'Switches',
        id: 'getFronters',
        summary: 'Get the current fronters',
        description:
          'Returns the latest switch. An empty list of members means that nobody is fronting; 204 means that the system has no switches.',
        responses: { 200: 'Fronters', 204: null },
        errors: ['badRequest', 'unauthorized', 'systemNotFound', 'frontersHidden'],
      }),
    })
    .post(
      '/systems/:systemRef/switches',
      async ({ params, viewer, body }) => {
        const draft = switchFromV2(body, deps.now())
        return showFront(await createSwitch(deps, viewer, params.systemRef, draft), 'owner')
      },
      {
        params: ofSystem,
        body: rawBody({
          type: 'object',
          required: ['members'],
          properties: {
            timestamp: {
              type: ['string', 'null'],
              format: 'date-time',
              description: 'Time of the switch, at most one day in the future; defaults to now',
            },
            members: {
              type: 'array',
              maxItems: MAX_FRONTERS,
              items: { type: 'string' },
              description: 'Short IDs or UUIDs of members, in order; an empty list is a switch-out',
            },
          },
          // Valid for every system, whatever the IDs of its members.
          example: { members: [] },
        }),
        detail: describe({
          tag: 'Switches',
          id: 'createSwitch',
          summary: 'Log a switch',
          description:
            'Sets the members that front from now on, or from `timestamp`: `["uphsrt"]` for one member, `[]` for nobody. Responds with error 40004 if exactly these members are already fronting.',
          responses: { 200: 'Switch' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'duplicateMembers',
            'sameFronters',
            'sameTimestamp',
            'forbidden',
            'notYourMemberRef',
            'systemNotFound',
            'memberRefNotFound',
          ],
        }),
      },
    )
    .get(
      '/systems/:systemRef/switches/:switchRef',
      async ({ params, viewer }) =>
        await readSwitch(deps, viewer, params.systemRef, params.switchRef),
      {
        params: ofSwitch,
        detail: describe({
          tag: 'Switches',
          id: 'getSwitch',
          summary: 'Get a switch',
          description:
            'Returns the switch with full member objects, as far as the caller may see them.',
          responses: { 200: 'Switch' },
          errors: [
            'badRequest',
            'unauthorized',
            'invalidSwitchId',
            'systemNotFound',
            'switchNotFound',
          ],
        }),
      },
    )
    .patch(
      '/systems/:systemRef/switches/:switchRef',
      async ({ params, viewer, body }) => {
        const time = switchTimeFromV2(body, deps.now())
        return showFront(
          await moveSwitch(deps, viewer, params.systemRef, params.switchRef, time),
          'owner',
        )
      },
      {
        params: ofSwitch,
        body: rawBody({
          type: 'object',
          required: ['timestamp'],
          properties: {
            timestamp: {
              type: 'string',
              format: 'date-time',
              description: 'New time of the switch, at most one day in the future',
            },
          },
          example: { timestamp: '2024-05-01T18:30:00Z' },
        }),
        detail: describe({
          tag: 'Switches',
          id: 'updateSwitch',
          summary: 'Move a switch',
          description:
            'Changes the time of a switch. Switches are ordered by time, so this may change the current fronters.',
          responses: { 200: 'Switch' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'sameTimestamp',
            'invalidSwitchId',
            'forbidden',
            'systemNotFound',
            'switchNotFound',
          ],
        }),
      },
    )
    .patch(
      '/systems/:systemRef/switches/:switchRef/members',
      async ({ params, viewer, body }) => {
        const refs = switchMembersFromV2(body)
        return showFront(
          await changeSwitchMembers(deps, viewer, params.systemRef, params.switchRef, refs),
          'owner',
        )
      },
      {
        params: ofSwitch,
        body: listBody('Short IDs or UUIDs of members, in order', [EXAMPLE_MEMBER], MAX_FRONTERS),
        detail: describe({
          tag: 'Switches',
          id: 'updateSwitchMembers',
          summary: 'Update the members of a switch',
          description:
            'Replaces the members of the switch, in order. Autoproxy in `front` mode uses the first one.',
          responses: { 200: 'Switch' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'duplicateMembers',
            'sameFronters',
            'invalidSwitchId',
            'forbidden',
            'notYourMemberRef',
            'systemNotFound',
            'switchNotFound',
            'memberRefNotFound',
          ],
        }),
      },
    )
    .delete(
      '/systems/:systemRef/switches/:switchRef',
      async ({ params, viewer, set }) => {
        await deleteSwitch(deps, viewer, params.systemRef, params.switchRef)
        set.status = 204
      },
      {
        params: ofSwitch,
        detail: describe({
          tag: 'Switches',
          id: 'deleteSwitch',
          summary: 'Delete a switch',
          description: 'The previous switch then lasts until the next one.',
          responses: { 204: null },
          errors: [
            ...writeErrors,
            'invalidSwitchId',
            'forbidden',
            'systemNotFound',
            'switchNotFound',
          ],
        }),
      },
    )
}
