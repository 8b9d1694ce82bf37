import { t } from 'elysia'
import { DomainError, error } from '../../model/core/errors'
import { audienceOf, type Viewer } from '../../model/core/privacy'
import { parseRef, parseSystemRef } from '../../model/core/ref'
import { SWITCHES_PER_PAGE } from '../../model/front/switch'
import type { System } from '../../model/systems/system'
import { rawBody } from '../../serializers/schema'
import { frontersFromV1, schemasV1, switchToV1, systemPatchFromV1 } from '../../serializers/v1'
import type { Deps } from '../../service/core/deps'
import { listSwitches } from '../../service/front/history'
import { createSwitch, getFronters } from '../../service/front/switches'
import { listMembers } from '../../service/members/members'
import { patchSystemAndSettings } from '../../service/systems/settings'
import { getSystem } from '../../service/systems/systems'
import { describe, writeErrors } from '../server/openapi'
import { parameter, parameters, parseTime } from '../server/query'
import { routes } from '../server/routeGroup'
import { showMember, showSystem, TAG } from './views'

const params = t.Object({ id: t.String({ description: 'Short ID of a system' }) })

export function systemRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get('/s', async ({ viewer }) => showSystem(await getSystem(deps, viewer, '@me'), viewer), {
      detail: describe({
        tag: TAG,
        deprecated: true,
        id: 'getOwnSystemV1',
        summary: 'Get your system',
        description: 'In version 2: `GET /v2/systems/@me`.',
        requiresAuth: true,
        responses: { 200: schemasV1.system },
        errors: ['badRequest', 'unauthorized'],
      }),
    })
    .get(
      '/s/:id',
      async ({ params, viewer }) => {
        const system = await getByHid(deps, viewer, params.id)
        return showSystem(system, viewer)
      },
      {
        params,
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'getSystemV1',
          summary: 'Get a system',
          description: 'In version 2: `GET /v2/systems/{systemRef}`.',
          responses: { 200: schemasV1.system },
          errors: ['badRequest', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/a/:id',
      async ({ params, viewer }) => {
        if (!('account' in (parseSystemRef(params.id) ?? {}))) throw error('systemNotFound')
        const system = await getSystem(deps, viewer, params.id)
        return showSystem(system, viewer)
      },
      {
        params: t.Object({ id: t.String({ description: 'ID of a linked account' }) }),
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'getSystemOfAccountV1',
          summary: 'Get the system of an account',
          description: 'In version 2: `GET /v2/systems/{systemRef}` with the account’s ID.',
          responses: { 200: schemasV1.system },
          errors: ['badRequest', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/s/:id/members',
      async ({ params, viewer }) => {
        const system = await getByHid(deps, viewer, params.id)
        const rows = await listMembers(deps, viewer, system)
        return rows.map((row) => showMember(row, audienceOf(viewer, system.id)))
      },
      {
        params,
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'listMembersV1',
          summary: 'List a system’s members',
          description: 'In version 2: `GET /v2/systems/{systemRef}/members`.',
          responses: { 200: schemasV1.members },
          errors: ['badRequest', 'systemNotFound', 'memberListHidden'],
        }),
      },
    )
    .get(
      '/s/:id/switches',
      async ({ params, query, viewer }) => {
        const range = { before: parseTime('before', query.before), limit: SWITCHES_PER_PAGE }
        const system = await getByHid(deps, viewer, params.id)
        const rows = await listSwitches(deps, viewer, system, range)
        return rows.map(({ timestamp, members }) => switchToV1(timestamp, members))
      },
      {
        params,
        query: parameters({
          before: parameter({
            type: 'string',
            description: 'Return only switches before this time',
          }),
        }),
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'listSwitchesV1',
          summary: 'List a system’s switches',
          description:
            'Returns the newest switches first. In version 2: `GET /v2/systems/{systemRef}/switches`, which also accepts a `limit`.',
          responses: { 200: schemasV1.switches },
          errors: ['badRequest', 'systemNotFound', 'historyHidden'],
        }),
      },
    )
    .get(
      '/s/:id/fronters',
      async ({ params, viewer }) => {
        const system = await getByHid(deps, viewer, params.id)
        const front = await getFronters(deps, viewer, system)
        if (!front) throw error('notFound', 'the system has no switches')
        const audience = audienceOf(viewer, system.id)
        return switchToV1(
          front.timestamp,
          front.members.map((row) => showMember(row, audience)),
        )
      },
      {
        params,
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'getFrontersV1',
          summary: 'Get the current fronters',
          description:
            'In version 2: `GET /v2/systems/{systemRef}/fronters`. Responds with 404 if the system has no switches.',
          responses: { 200: schemasV1.fronters },
          errors: ['badRequest', 'systemNotFound', 'notFound', 'frontersHidden'],
        }),
      },
    )
    .patch(
      '/s',
      async ({ viewer, body }) => {
        const patch = systemPatchFromV1(body)
        return showSystem(await patchSystemAndSettings(deps, viewer, patch), viewer)
      },
      {
        body: schemasV1.systemPatch,
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'updateSystemV1',
          summary: 'Update your system',
          description:
            'In version 2: `PATCH /v2/systems/@me`. There, the time zone `tz` is one of the settings.',
          responses: { 200: schemasV1.system },
          errors: [...writeErrors, 'invalidBody'],
        }),
      },
    )
    .post(
      '/s/switches',
      async ({ viewer, body, set }) => {
        await logSwitch(deps, viewer, frontersFromV1(body))
        set.status = 204
      },
      {
        body: rawBody({
          type: 'object',
          required: ['members'],
          properties: { members: { type: 'array', items: { type: 'string' } } },
          example: { members: [] },
        }),
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'createSwitchV1',
          summary: 'Log a switch',
          description:
            'In version 2: `POST /v2/systems/@me/switches`, which also accepts a timestamp.',
          responses: { 204: null },
          errors: [...writeErrors, 'invalidBody', 'duplicateMembers', 'sameFronters'],
        }),
      },
    )
}

/** Rejects UUIDs and accounts: version 1 supports only short IDs. */
async function getByHid(deps: Deps, viewer: Viewer, id: string): Promise<System> {
  if (!('hid' in (parseRef(id) ?? {}))) throw error('systemNotFound')
  return getSystem(deps, viewer, id)
}

/** Answers unknown members and members of other systems with 400, as version 1 always did. */
async function logSwitch(deps: Deps, viewer: Viewer, members: string[]): Promise<void> {
  try {
    await createSwitch(deps, viewer, '@me', { members, timestamp: null })
  } catch (cause) {
    const isAboutMember =
      cause instanceof DomainError &&
      (cause.kind === 'memberRefNotFound' || cause.kind === 'notYourMemberRef')
    throw isAboutMember ? error('badRequest', cause.message) : cause
  }
}
