import { Elysia } from 'elysia'
import { type Encoding, manifests } from '../../web/bundle'
import { loadPages, type PageFile, type Pages } from '../../web/pages'

/** What lies where everyone looks for it: the page, and what it is installed by. */
export const fixedPaths = ['/', ...manifests.map((name) => `/${name}`)]

/** The page and its files. Nobody is asked who they are. */
export function staticFileRoutes() {
  let loading: Promise<Pages> | undefined
  const open = async (path: string, { headers }: Request): Promise<Response | undefined> => {
    loading ??= loadPages()
    const file = (await loading).get(path)
    return file && fileResponse(file, headers)
  }
  const routes = new Elysia({ normalize: false })
  for (const path of fixedPaths) routes.get(path, ({ request }) => open(path, request))
  return routes.get('/assets/:file', async ({ params, request, status }) => {
    return (await open(`/assets/${params.file}`, request)) ?? status(404)
  })
}

function fileResponse(file: PageFile, asked: Headers): Response {
  const headers = new Headers({
    'content-type': file.type,
    'cache-control': file.isLasting ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'Accept-Encoding',
    ...protectionOf(POLICY),
  })
  if (asked.get('if-none-match')?.includes(file.etag))
    return new Response(null, { status: 304, headers })
  const wanted = encodingFor(asked.get('accept-encoding') ?? '')
  const encoding = wanted in file.ways ? wanted : 'identity'
  if (encoding !== 'identity') headers.set('content-encoding', encoding)
  const way = file.ways[encoding] ?? file.ways.identity
  return new Response(typeof way === 'string' ? Bun.file(way) : way, { headers })
}

function encodingFor(accepted: string): Encoding {
  const accepts = (name: string) =>
    new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted)
  if (accepts('br')) return 'br'
  return accepts('gzip') ? 'gzip' : 'identity'
}

/** Headers of a page that loads nothing but what its content security policy names. */
export function protectionOf(policy: readonly string[]) {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy': policy.join('; '),
  }
}

/** Directives that keep a page out of frames and its forms and addresses its own. */
export const unframed = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]

/** Nothing but our own files runs, nothing is framed, and text never becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "img-src 'self' data: https: http:",
  ...unframed,
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]
