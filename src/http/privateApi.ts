import { Elysia } from 'elysia'
import { requireWriter } from '../model/core/privacy'
import { group } from '../model/groups/group'
import { member } from '../model/members/member'
import { levelsBody } from '../serializers/schema'
import { levelsFromV2 } from '../serializers/v2'
import type { Deps } from '../service/core/deps'
import { patchAllGroups } from '../service/groups/groups'
import { patchAllMembers } from '../service/members/members'
import type { ApiModule } from './server/apiModule'
import { describe, writeErrors } from './server/openapi'
import { contextOf, routes } from './server/routeGroup'

/** Private endpoints that dashboards written for PluralKit use in addition to version 2. */
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
    .onBeforeHandle(({ request }) => void requireWriter(contextOf(request).caller.viewer))
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
              summary: 'Set the privacy of all members',
              description:
                'Sets the given privacy levels on every member of the caller’s system in one transaction. Other levels are unchanged.',
              responses: { 204: null },
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
              summary: 'Set the privacy of all groups',
              description:
                'Sets the given privacy levels on every group of the caller’s system in one transaction. Other levels are unchanged.',
              responses: { 204: null },
              errors: [...writeErrors, 'invalidBody'],
            }),
          },
        ),
    )
}
