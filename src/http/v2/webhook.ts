import { t } from 'elysia'
import type { Events } from '../../events/events'
import { chooseToken, describeWebhook, registerWebhook, removeWebhook } from '../../events/webhooks'
import { throwIfInvalid } from '../../model/entity'
import type { Problems } from '../../model/errors'
import { url as urlField } from '../../model/field'
import { requireSystem } from '../../model/privacy'
import { Problem } from '../../model/validation'
import { parseObject, type RawBody } from '../../serializers/body'
import { rawBody } from '../../serializers/schema'
import { pingToV2, registrationToV2 } from '../../serializers/v2'
import { describe, writeErrors } from '../openapi'
import { routes } from '../routeGroup'

const TAG = 'Events'

const address = urlField({ doc: 'Address that events are sent to' })

const registered = t.Object({
  url: t.String(),
  state: t.Literal('pending'),
  token: t.String({
    description:
      'The signing token, which every delivery carries as `signing_token`; it is shown this once',
  }),
})

/** The webhook of the own system: registered, proven, watched and removed. */
export function webhookRoutes({ deps, dispatcher }: Events, bodyLimit: number) {
  return routes(bodyLimit)
    .get('/systems/@me/webhook', async ({ viewer }) => describeWebhook(deps, viewer), {
      detail: describe({
        tag: TAG,
        id: 'getWebhook',
        summary: 'Get the webhook’s state and last deliveries',
        description:
          'What to look at when events do not arrive: its `state`, why it is disabled, and what each of the last deliveries was answered.',
        requiresAuth: true,
        responses: { 200: 'Webhook' },
        errors: ['badRequest', 'unauthorized'],
      }),
    })
    .put(
      '/systems/@me/webhook',
      async ({ viewer, body }) => {
        // Before any name is looked up for somebody who may not.
        requireSystem(viewer, 'manage')
        const { url, token } = parseRegistration(body)
        await dispatcher.checkUrl(url)
        await registerWebhook(deps, viewer, url, token)
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
                'The signing token, which comes back in every delivery as `signing_token`; a new one is made when left out',
            },
          },
          example: { url: 'https://example.com/multitude' },
        }),
        detail: describe({
          tag: TAG,
          id: 'setWebhook',
          summary: 'Register a webhook',
          description:
            'It is `pending` until `verify` has shown that its receiver checks the signing token, which every delivery carries as `signing_token`. A new address takes the place of the old one.',
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
          summary: 'Remove the webhook',
          description:
            'Nothing more is sent; what waited is forgotten. Also fine when there is none.',
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
          summary: 'Send the two test PINGs and activate the webhook',
          description:
            'With the right signing token the receiver must answer 200, with a wrong one it must answer 401.',
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
          summary: 'Go on with a disabled webhook; what waited follows',
          description:
            'A webhook is disabled when its receiver failed for a day, or answered 401 or 410. Mend the receiver first.',
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
          summary: 'Send a PING now',
          description: 'Tells what the receiver answered; changes nothing.',
          responses: { 200: 'WebhookTest' },
          errors: [...writeErrors, 'notFound'],
        }),
      },
    )
}

function parseRegistration(body: RawBody): { url: string; token: string } {
  const given = parseObject(body)
  const problems: Problems = {}
  const url = address.read(given.url ?? null)
  if (url === null) problems.url = [new Problem('Required.')]
  else if (url instanceof Problem) problems.url = [url]
  const token = chooseToken(given.token)
  if (token instanceof Problem) problems.token = [token]
  throwIfInvalid(problems)
  return { url: url as string, token: token as string }
}
