import { t } from 'elysia'
import type { Events } from '../../events/events'
import {
  chooseToken,
  describeWebhook,
  enableWebhook,
  registerWebhook,
  removeWebhook,
} from '../../events/webhooks'
import { Problem } from '../../model/check'
import { throwIfAny } from '../../model/entity'
import type { Problems } from '../../model/errors'
import { url as urlField } from '../../model/field'
import { requireSystem } from '../../service/systems'
import { readObject, type UnreadBody } from '../../wire/json'
import { unreadBody } from '../../wire/schema'
import { describe, writeErrors } from '../docs'
import { routes } from '../viewer'

const TAG = 'Events'

const address = urlField({ doc: 'Address that events are sent to' })

const registered = t.Object({
  url: t.String(),
  state: t.Literal('pending'),
  token: t.String({ description: 'Signing token; it is shown this once' }),
})

/** The webhook of the own system: registered, proven, watched and removed. */
export function webhookRoutes({ deps, dispatcher }: Events, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/webhook',
      async ({ viewer }) => describeWebhook(deps.db, requireSystem(viewer)),
      {
        detail: describe({
          tag: TAG,
          summary: 'Get the webhook’s state and last deliveries',
          answers: { 200: 'Webhook' },
          errors: ['badRequest', 'unauthorized'],
        }),
      },
    )
    .put(
      '/systems/@me/webhook',
      async ({ viewer, body }) => {
        const system = requireSystem(viewer)
        const { url, token } = readRegistration(body)
        await dispatcher.checkUrl(url)
        await registerWebhook(deps, system, url, token)
        return { url, state: 'pending', token }
      },
      {
        body: unreadBody({
          type: 'object',
          required: ['url'],
          properties: {
            url: { type: 'string', maxLength: 256, description: address.doc },
            token: {
              type: ['string', 'null'],
              minLength: 16,
              maxLength: 128,
              description: 'Signing token; a new one is made when left out',
            },
          },
        }),
        detail: describe({
          tag: TAG,
          summary: 'Register a webhook',
          description: 'It waits until `verify` has shown that its receiver checks the token.',
          answers: { 200: registered },
          errors: [...writeErrors, 'invalidBody', 'systemNotFound'],
        }),
      },
    )
    .delete(
      '/systems/@me/webhook',
      async ({ viewer, set }) => {
        await removeWebhook(deps, requireSystem(viewer))
        set.status = 204
      },
      {
        detail: describe({
          tag: TAG,
          summary: 'Remove the webhook',
          answers: { 204: null },
          errors: writeErrors,
        }),
      },
    )
    .post(
      '/systems/@me/webhook/verify',
      async ({ viewer }) => {
        const system = requireSystem(viewer)
        await dispatcher.verify(system)
        return describeWebhook(deps.db, system)
      },
      {
        detail: describe({
          tag: TAG,
          summary: 'Send the two test PINGs and activate the webhook',
          description:
            'With the right token the receiver must answer 200, with a wrong one it must answer 401.',
          answers: { 200: 'Webhook' },
          errors: [...writeErrors, 'invalidBody', 'notFound', 'conflict'],
        }),
      },
    )
    .post(
      '/systems/@me/webhook/enable',
      async ({ viewer }) => {
        const system = requireSystem(viewer)
        await enableWebhook(deps, system)
        dispatcher.touch(system)
        return describeWebhook(deps.db, system)
      },
      {
        detail: describe({
          tag: TAG,
          summary: 'Go on with a disabled webhook; what waited follows',
          answers: { 200: 'Webhook' },
          errors: [...writeErrors, 'notFound', 'conflict'],
        }),
      },
    )
    .post(
      '/systems/@me/webhook/test',
      async ({ viewer }) => {
        const sent = await dispatcher.test(requireSystem(viewer))
        return 'status' in sent ? sent : { status: null, error: sent.error }
      },
      {
        detail: describe({
          tag: TAG,
          summary: 'Send a PING now',
          answers: {
            200: t.Object({
              status: t.Union([t.Integer(), t.Null()]),
              error: t.Optional(t.String({ description: 'Why there was no answer' })),
            }),
          },
          errors: [...writeErrors, 'notFound'],
        }),
      },
    )
}

function readRegistration(body: UnreadBody): { url: string; token: string } {
  const given = readObject(body)
  const problems: Problems = {}
  const url = address.read(given.url ?? null)
  if (url === null) problems.url = [new Problem('Required.')]
  else if (url instanceof Problem) problems.url = [url]
  const token = chooseToken(given.token)
  if (token instanceof Problem) problems.token = [token]
  throwIfAny(problems)
  return { url: url as string, token: token as string }
}
