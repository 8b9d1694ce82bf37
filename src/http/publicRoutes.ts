import { type AnyElysia, Elysia } from 'elysia'
import type { DomainError } from '../model/core/errors'
import type { Config } from '../runtime/config/config'
import { docsFiles } from '../web/docs'
import type { ApiModule } from './server/apiModule'
import { errorResponse } from './server/errorResponse'
import { fixedPaths, protectionOf, staticFileRoutes, unframed } from './web/staticFiles'

export interface PublicParts {
  /** Returns the error that prevents reads or writes of the database; null if healthy. */
  checkHealth: () => Promise<DomainError | null>
  describeRoutes: () => Promise<object>
  config: Pick<Config, 'PUBLIC_URL'>
}

/** Routes without authentication: health, dashboard, API document and API page. */
export function publicModule(parts: PublicParts): ApiModule {
  const isPublic = true
  return {
    prefix: '',
    routes: () => publicRoutes(parts),
    policy: {},
    resources: {
      ...Object.fromEntries(
        [...fixedPaths, '/assets'].map((path) => [
          path.slice(1),
          { isPublic, isSameOriginOnly: true },
        ]),
      ),
      docs: { isPublic, headers: protectionOf(docsPolicy(parts.config.PUBLIC_URL)) },
      'openapi.json': { isPublic },
      health: { isPublic, bypassesAdmission: true },
    },
  }
}

/**
 * Content security policy of the API page. Swagger UI has its icons in `data:` addresses and sends
 * requests to the server that the API document names. It does not render under trusted types.
 */
function docsPolicy(publicUrl: string): string[] {
  const publicOrigin = publicUrl && ` ${new URL(publicUrl).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self'${publicOrigin}`,
    'img-src data:',
    ...unframed,
  ]
}

function publicRoutes({ checkHealth, describeRoutes }: PublicParts): AnyElysia {
  const routes = new Elysia({ normalize: false })
    .get('/health', async () => {
      const failure = await checkHealth()
      return failure ? errorResponse(failure) : { status: 'ok' }
    })
    // For load balancers: a node whose database is unavailable still answers requests itself.
    .get('/health/live', () => ({ status: 'ok' }))
    .use(staticFileRoutes())
  for (const [file, { open, type }] of Object.entries(docsFiles))
    routes.get(file, ({ path }) =>
      // The page refers to its files by relative URLs, so it needs one canonical path.
      path.endsWith('/')
        ? redirect(`../${file.split('/').at(-1)}`)
        : new Response(open(), { headers: { 'content-type': type } }),
    )
  let document: Promise<object> | undefined
  routes.get('/openapi.json', () => {
    document ??= describeRoutes()
    return document
  })
  return routes
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } })
}
