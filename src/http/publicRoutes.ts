import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../config'
import type { DomainError } from '../model/errors'
import { docsFiles } from '../web/docs'
import type { ApiModule } from './apiModule'
import { errorResponse } from './errorResponse'
import { fixedPaths, protectionOf, staticFileRoutes, unframed } from './web/staticFiles'

export interface PublicParts {
  /** What keeps the database from being read or written; null when nothing does. */
  checkHealth: () => Promise<DomainError | null>
  describeRoutes: () => Promise<object>
  config: Pick<Config, 'PUBLIC_URL'>
}

/** What is for everyone: health, the API document and the page that shows it. */
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
  const named = publicUrl && ` ${new URL(publicUrl).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self'${named}`,
    'img-src data:',
    ...unframed,
  ]
}

function publicRoutes({ checkHealth, describeRoutes }: PublicParts): AnyElysia {
  const routes = new Elysia({ normalize: false })
    .get('/health', async () => {
      const trouble = await checkHealth()
      return trouble ? errorResponse(trouble) : { status: 'ok' }
    })
    // For a balancer: a node whose database is gone must still answer its clients itself.
    .get('/health/live', () => ({ status: 'ok' }))
    .use(staticFileRoutes())
  for (const [file, { open, type }] of Object.entries(docsFiles))
    routes.get(file, ({ path }) =>
      // The page names its files relative to where it lies, so it must lie in one place.
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
