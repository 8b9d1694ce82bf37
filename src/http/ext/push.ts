import type { Events } from '../../events/events'
import {
  deletePushTarget,
  listPushTargets,
  patchPushTarget,
  putPushTarget,
  testPushTarget,
} from '../../events/push/targets'
import { requireSystem } from '../../model/core/privacy'
import { MAX_ENDPOINT, pushTarget } from '../../model/push/pushTarget'
import { pushTargetFromExt, pushTargetToExt, pushToExt } from '../../serializers/ext'
import { bodySchema, rawBody } from '../../serializers/schema'
import { patchFromV2, pingToV2 } from '../../serializers/v2'
import { describe, ownReadErrors, ownWriteErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'
import { idParams } from './ownedRoutes'

const TAG = 'Events'

const { properties, example } = bodySchema(pushTarget, 'draft')

const registration = rawBody({
  type: 'object',
  required: ['endpoint', 'keys', 'label', 'wants'],
  properties: {
    endpoint: {
      type: 'string',
      maxLength: MAX_ENDPOINT,
      description: '`endpoint` of the browser’s push subscription',
    },
    keys: {
      type: 'object',
      required: ['p256dh', 'auth'],
      properties: { p256dh: { type: 'string' }, auth: { type: 'string' } },
      description: '`keys` of the browser’s push subscription',
    },
    ...properties,
  },
  example: {
    endpoint: 'https://example.com/push/v1/4Jr2pQ',
    keys: {
      p256dh:
        'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    ...example,
  },
})

/** Browsers that receive push notifications. */
export function pushRoutes(events: Events, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/push',
      async ({ viewer }) => {
        const { key, targets } = await listPushTargets(events, viewer)
        return pushToExt(key, targets)
      },
      {
        detail: describe({
          tag: TAG,
          id: 'listPushTargets',
          summary: 'List push targets',
          description:
            'Returns the public key of the server and the browsers that receive push notifications. A `watch` token gets its own only.',
          requiresAuth: true,
          responses: { 200: 'Push' },
          errors: ownReadErrors,
        }),
      },
    )
    .put(
      '/push',
      async ({ viewer, body, set }) => {
        requireSystem(viewer, 'manage_push')
        const { subscription, draft } = pushTargetFromExt(body)
        const target = await putPushTarget(events, viewer, subscription, draft)
        set.status = target.isNew ? 201 : 200
        return pushTargetToExt(target)
      },
      {
        body: registration,
        detail: describe({
          tag: TAG,
          id: 'putPushTarget',
          summary: 'Register a browser for push notifications',
          description:
            'The target ends with your session or token. A known `endpoint` moves to you. `watch` tokens use `wants: ["front"]`. Bots cannot register.',
          responses: { 200: 'PushTarget', 201: 'PushTarget' },
          errors: [...ownWriteErrors, 'invalidBody', 'limitReached'],
        }),
      },
    )
    .patch(
      '/push/:id',
      async ({ params, viewer, body }) => {
        requireSystem(viewer, 'manage_push')
        const patch = patchFromV2(pushTarget, body)
        return pushTargetToExt(await patchPushTarget(events, viewer, params.id, patch))
      },
      {
        params: idParams,
        body: bodySchema(pushTarget, 'patch'),
        detail: describe({
          tag: TAG,
          id: 'updatePushTarget',
          summary: 'Update a push target',
          description: 'Changes only the given keys.',
          responses: { 200: 'PushTarget' },
          errors: [...ownWriteErrors, 'invalidBody', 'pushTargetNotFound'],
        }),
      },
    )
    .delete(
      '/push/:id',
      async ({ params, viewer, set }) => {
        await deletePushTarget(events, viewer, params.id)
        set.status = 204
      },
      {
        params: idParams,
        detail: describe({
          tag: TAG,
          id: 'deletePushTarget',
          summary: 'Delete a push target',
          description: 'Discards the messages that wait for it.',
          responses: { 204: null },
          errors: [...ownWriteErrors, 'pushTargetNotFound'],
        }),
      },
    )
    .post(
      '/push/:id/test',
      async ({ params, viewer }) => pingToV2(await testPushTarget(events, viewer, params.id)),
      {
        params: idParams,
        detail: describe({
          tag: TAG,
          id: 'testPushTarget',
          summary: 'Send a test notification',
          description:
            'Sends a notification now and returns the status of the push service. A target that the push service no longer knows (404, 410) is deleted.',
          responses: { 200: 'WebhookTest' },
          errors: [...ownWriteErrors, 'pushTargetNotFound'],
        }),
      },
    )
}
