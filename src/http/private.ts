import { Elysia } from 'elysia'
import { group } from '../model/group'
import { member } from '../model/member'
import { requireWriter } from '../model/privacy'
import { levelsBody } from '../serializers/schema'
import { levelsFromV2 } from '../serializers/v2'
import type { Deps } from '../service/deps'
import { patchAllGroups } from '../service/groups'
import { patchAllMembers } from '../service/members'
import type { ApiModule } from './apiModule'
import { callerOf } from './context'
import { describe, writeErrors } from './openapi'
import { routes } from './routeGroup'

/** What dashboards written for PluralKit ask beside version 2. */
export function privateModule(deps: Deps, bodyLimit: number): ApiModule {
  return {
    prefix: '/private',
    routes: () => bulkPrivacy(deps, bodyLimit),
    policy: {},
    resources: {},
  }
}

function bulkPrivacy(deps: Deps, bodyLimit: number) {
  return new Elysia({ prefix: '/private/bulk_privacy', normalize: false })
    .onBeforeHandle(({ request }) => void requireWriter(callerOf(request).viewer))
    .use(
      routes(bodyLimit)
        .post(
          '/member',
          async ({ viewer, body, request, set }) => {
            await patchAllMembers(deps, viewer, request.signal, levelsFromV2(member, body))
            set.status = 204
          },
          {
            body: levelsBody(member),
            detail: describe({
              tag: 'Members',
              id: 'setPrivacyOfAllMembers',
              summary: 'Set privacy levels of all members at once',
              description:
                'Only the given levels change, in every member of the caller’s system, all or none.',
              answers: { 204: null },
              errors: [...writeErrors, 'invalidBody'],
            }),
          },
        )
        .post(
          '/group',
          async ({ viewer, body, request, set }) => {
            await patchAllGroups(deps, viewer, request.signal, levelsFromV2(group, body))
            set.status = 204
          },
          {
            body: levelsBody(group),
            detail: describe({
              tag: 'Groups',
              id: 'setPrivacyOfAllGroups',
              summary: 'Set privacy levels of all groups at once',
              description:
                'Only the given levels change, in every group of the caller’s system, all or none.',
              answers: { 204: null },
              errors: [...writeErrors, 'invalidBody'],
            }),
          },
        ),
    )
}
