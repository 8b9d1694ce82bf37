import { commandRoutes } from './commands'
import type { Route } from './rest'
import { answers, bodies } from './schemas'
import { serializeApplication, serializeChannel, serializeUser } from './serialize'

/** The application, its user, direct messages and the gateway's address. */
export const routesOfApplications: Route[] = [
  {
    name: 'GET /gateway',
    answer: answers.gateway,
    isPublic: true,
    handle: (context) => ({ body: { url: context.addresses.gateway } }),
  },
  {
    name: 'GET /gateway/bot',
    answer: answers.gatewayBot,
    handle: (context) => ({
      body: {
        url: context.addresses.gateway,
        shards: context.options.shards,
        session_start_limit: {
          total: 1000,
          remaining: Math.max(0, context.options.sessionStarts - context.record.identifies),
          reset_after: 24 * 3600_000,
          max_concurrency: context.options.maxConcurrency,
        },
      },
    }),
  },
  ...['GET /applications/@me', 'GET /oauth2/applications/@me'].map(
    (name): Route => ({
      name,
      answer: answers.application,
      handle: (context) => ({ body: serializeApplication(context) }),
    }),
  ),
  {
    name: 'GET /users/@me',
    answer: answers.me,
    handle: (context) => ({
      body: {
        ...serializeUser(context.world.bot),
        mfa_enabled: true,
        locale: 'en-US',
        verified: true,
      },
    }),
  },
  {
    name: 'GET /users/{user_id}',
    answer: answers.user,
    handle: (context, { params }) => ({
      body: serializeUser(context.world.getUser(params.user_id ?? '')),
    }),
  },
  {
    name: 'POST /users/@me/channels',
    body: bodies.createDm,
    answer: answers.channel,
    handle(context, { body }) {
      const user = context.world.getUser(String(body.recipient_id))
      return { body: serializeChannel(context, context.world.openDm(user.id).channel) }
    },
  },
  ...commandRoutes,
]
