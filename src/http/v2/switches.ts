import { t } from 'elysia'
import { MAX_FRONTERS, SWITCHES_PER_PAGE } from '../../model/switch'
import { EXAMPLE_MEMBER, listBody, rawBody } from '../../serializers/schema'
import { switchFromV2, switchMembersFromV2, switchTimeFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/deps'
import { readFronters, readSwitch, readSwitches } from '../../service/read/v2'
import { changeSwitchMembers, createSwitch, deleteSwitch, moveSwitch } from '../../service/switches'
import { directRead } from '../directReads'
import { describe, writeErrors } from '../openapi'
import { parameter, parameters, parseLimit, parseTime } from '../query'
import { routes } from '../routeGroup'
import { switchRef, systemRef } from './params'
import { showFront } from './views'

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
            description: 'Only switches before this time',
          }),
          limit: parameter({
            type: 'integer',
            minimum: 1,
            // No `default` here: Elysia would put it into the query as a number.
            description: `How many; ${SWITCHES_PER_PAGE} when left out, and never more`,
          }),
        }),
        detail: describe({
          tag: 'Switches',
          id: 'listSwitches',
          summary: 'List a system’s switches, newest first',
          description:
            'For the next page, give the `timestamp` of the last one as `before`. Members are short IDs here; one switch alone has them whole.',
          responses: { 200: ['SwitchOfIds'] },
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'historyHidden'],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronters',
      directRead('systemRef', (viewer, ref) => readFronters(deps, viewer, ref)),
      {
        params: ofSystem,
        detail: describe({
          tag: 'Switches',
          id: 'getFronters',
          summary: 'Get who fronts now',
          description:
            'The latest switch. An empty list says that nobody fronts; no content (204) that the system has no switches at all.',
          responses: { 200: 'Fronters', 204: null },
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'frontersHidden'],
        }),
      },
    )
    .post(
      '/systems/:systemRef/switches',
      async ({ params, viewer, body }) => {
        const draft = switchFromV2(body, deps.now())
        return showFront(await createSwitch(deps, viewer, params.systemRef, draft), true)
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
              description: 'When it happened, at most a day ahead; now when left out',
            },
            members: {
              type: 'array',
              maxItems: MAX_FRONTERS,
              items: { type: 'string' },
              description: 'Short IDs or UUIDs, in order; an empty list is a switch-out',
            },
          },
          // Works for every system, whatever its members are called.
          example: { members: [] },
        }),
        detail: describe({
          tag: 'Switches',
          id: 'createSwitch',
          summary: 'Log a switch',
          description:
            'Who fronts from now on, or from `timestamp`: `["uphsrt"]` for one member, `[]` for nobody. Who fronts already is refused (40004), so ask first or take that as done.',
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
          description: 'With its members whole, as the caller may see them.',
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
          true,
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
              description: 'At most a day ahead',
            },
          },
          example: { timestamp: '2024-05-01T18:30:00Z' },
        }),
        detail: describe({
          tag: 'Switches',
          id: 'updateSwitch',
          summary: 'Move a switch to another time',
          description:
            'The order of switches follows their times, so this may change who fronts now.',
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
          true,
        )
      },
      {
        params: ofSwitch,
        body: listBody('Short IDs or UUIDs of members, in order', [EXAMPLE_MEMBER], MAX_FRONTERS),
        detail: describe({
          tag: 'Switches',
          id: 'updateSwitchMembers',
          summary: 'Change who is in a switch',
          description:
            'The list takes the place of the old one, in order; its first member is the one that front autoproxy follows.',
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
          description: 'The switch before it then lasts until the one after it.',
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
