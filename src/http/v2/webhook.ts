import { t } from 'elysia'
import type { Events } from '../../events/events'
import {
  chooseToken,
  describeWebhook,
  type Registration,
  registerWebhook,
  removeWebhook,
} from '../../events/webhooks'
import { throwIfInvalid } from '../../model/core/entity'
import type { Problems } from '../../model/core/errors'
import { url as urlField } from '../../model/core/field'
import { requireSystem } from '../../model/core/privacy'
import { Problem } from '../../model/core/validation'
import { parseObject, type RawBody } from '../../serializers/body'
import { rawBody } from '../../serializers/schema'
import { pingToV2, registrationToV2 } from '../../serializers/v2'
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'

const TAG = 'Events'

const address = urlField({ doc: 'URL that events are sent to' })

const registered = t.Object({
  url: t.String(),
  state: t.Literal('pending'),
  token: t.String({
    description: 'Signing token, included in every delivery as `signing_token`; shown only once',
  }),
})

/** Webhook of the caller's system. */
export function webhookRoutes({ deps, dispatcher }: Events, bodyLimit: number) {
  return routes(bodyLimit)
    .get('/systems/@me/webhook', async ({ viewer }) => describeWebhook(deps, viewer), {
      detail: describe({
        tag: TAG,
        id: 'getWebhook',
        summary: 'Get the webhook',
        description:
          'Returns the `state` of the webhook, the reason if it is disabled, and the responses to its last deliveries. Useful if events do not arrive.',
        requiresAuth: true,
        responses: { 200: 'Webhook' },
        errors: ['badRequest', 'unauthorized'],
      }),
    })
    .put(
      '/systems/@me/webhook',
      async ({ viewer, body }) => {
        // Before `checkUrl` resolves a host name for a caller without permission.
        requireSystem(viewer, 'manage')
        const draft = parseRegistration(body)
        const { url, token } = draft
        await dispatcher.checkUrl(url)
        await registerWebhook(deps, viewer, draft)
        return registrationToV2(url, token)
      },
      {
        body: rawBody({
          type: 'object',
          required: ['url'],
          properties: {
            url: { type: 'string', maxLength: 256, description: address.doc },
            token: {
              type: ['string', 'null'],
              minLength: 16,
              maxLength: 128,
              description:
                'Signing token, included in every delivery as `signing_token`; generated if omitted',
            },
            events: {
              type: 'string',
              enum: ['pluralkit', 'all'],
              description:
                '`all` also delivers the events of the extension API, which receivers written for PluralKit may reject; `pluralkit` by default',
            },
          },
          example: { url: 'https://example.com/multitude' },
        }),
        detail: describe({
          tag: TAG,
          id: 'setWebhook',
          summary: 'Register a webhook',
          description:
            'Replaces the existing webhook, if any. The webhook is `pending` until `verify` has confirmed that its receiver checks the signing token, which every delivery includes as `signing_token`.',
          responses: { 200: registered },
          errors: [...writeErrors, 'invalidBody', 'systemNotFound'],
        }),
      },
    )
    .delete(
      '/systems/@me/webhook',
      async ({ viewer, set }) => {
        await removeWebhook(deps, viewer)
        set.status = 204
      },
      {
        detail: describe({
          tag: TAG,
          id: 'deleteWebhook',
          summary: 'Delete the webhook',
          description:
            'Stops deliveries and discards waiting events. Succeeds if there is no webhook.',
          responses: { 204: null },
          errors: writeErrors,
        }),
      },
    )
    .post(
      '/systems/@me/webhook/verify',
      async ({ viewer }) => {
        await dispatcher.verify(viewer)
        return describeWebhook(deps, viewer)
      },
      {
        detail: describe({
          tag: TAG,
          id: 'verifyWebhook',
          summary: 'Verify the webhook',
          description:
            'Sends two PING events and activates the webhook. The receiver must respond with 200 to the correct signing token, and with 401 to a wrong one.',
          responses: { 200: 'Webhook' },
          errors: [...writeErrors, 'invalidBody', 'notFound', 'conflict'],
        }),
      },
    )
    .post(
      '/systems/@me/webhook/enable',
      async ({ viewer }) => {
        await dispatcher.enable(viewer)
        return describeWebhook(deps, viewer)
      },
      {
        detail: describe({
          tag: TAG,
          id: 'enableWebhook',
          summary: 'Enable the webhook',
          description:
            'Re-enables a disabled webhook and delivers the waiting events. A webhook is disabled if its receiver fails for a day, or responds with 401 or 410; fix the receiver first.',
          responses: { 200: 'Webhook' },
          errors: [...writeErrors, 'notFound', 'conflict'],
        }),
      },
    )
    .post(
      '/systems/@me/webhook/test',
      async ({ viewer }) => pingToV2(await dispatcher.test(viewer)),
      {
        detail: describe({
          tag: TAG,
          id: 'testWebhook',
          summary: 'Test the webhook',
          description:
            'Sends a PING event and returns the response of the receiver. Changes nothing.',
          responses: { 200: 'WebhookTest' },
          errors: [...writeErrors, 'notFound'],
        }),
      },
    )
}

function parseRegistration(body: RawBody): Registration {
  const registration = parseObject(body)
  const problems: Problems = {}
  const url = address.parse(registration.url ?? null)
  if (url === null) problems.url = [new Problem('required')]
  else if (url instanceof Problem) problems.url = [url]
  const token = chooseToken(registration.token)
  if (token instanceof Problem) problems.token = [token]
  const events = registration.events ?? 'pluralkit'
  if (events !== 'pluralkit' && events !== 'all')
    problems.events = [new Problem('not_choice', { choices: ['pluralkit', 'all'] })]
  throwIfInvalid(problems)
  return { url: url as string, token: token as string, events: events as Registration['events'] }
}
