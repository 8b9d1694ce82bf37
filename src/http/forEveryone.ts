import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../config'
import type { DomainError } from '../model/errors'
import { docsFiles } from '../web/docs'
import { answerFailure } from './failures'
import { fixedPaths, pageRoutes, protectionOf, unframed } from './web/pages'
import type { Wire } from './wire'

export interface PublicParts {
  /** What keeps the database from being read or written; null when nothing does. */
  findTrouble: () => Promise<DomainError | null>
  describeRoutes: () => Promise<object>
  config: Pick<Config, 'PUBLIC_URL'>
}

/** What is for everyone: health, the API document and the page that shows it. */
export function forEveryone(parts: PublicParts): Wire {
  const isForEveryone = true
  return {
    prefix: '',
    routes: () => publicRoutes(parts),
    facts: {},
    nouns: {
      ...Object.fromEntries(
        [...fixedPaths, '/assets'].map((path) => [
          path.slice(1),
          { isForEveryone, isOfPage: true },
        ]),
      ),
      docs: { isForEveryone, headers: protectionOf(docsPolicy(parts.config.PUBLIC_URL)) },
      'openapi.json': { isForEveryone },
      health: { isForEveryone, isUrgent: true },
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

function publicRoutes({ findTrouble, describeRoutes }: PublicParts): AnyElysia {
  const routes = new Elysia({ normalize: false })
    .get('/health', async () => {
      const trouble = await findTrouble()
      return trouble ? answerFailure(trouble) : { status: 'ok' }
    })
    // For a balancer: a node whose database is gone must still answer its clients itself.
    .get('/health/live', () => ({ status: 'ok' }))
    .use(pageRoutes())
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
