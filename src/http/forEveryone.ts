import { type AnyElysia, Elysia } from 'elysia'
import type { DomainError } from '../model/errors'
import { docsFiles } from '../web/docs'
import { answerFailure } from './failures'
import { fixedPaths, pageRoutes } from './web/pages'
import type { Wire } from './wire'

export interface PublicParts {
  /** What keeps the database from being read or written; null when nothing does. */
  findTrouble: () => Promise<DomainError | null>
  describeRoutes: () => Promise<object>
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
      docs: { isForEveryone },
      'openapi.json': { isForEveryone },
      health: { isForEveryone, isUrgent: true },
    },
  }
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
