import { Elysia } from 'elysia'
import { type Encoding, manifests, WORKER } from '../../web/bundle'
import { loadPages, type PageFile, type Pages } from '../../web/dashboardFiles'
import { acceptsEncoding } from '../server/response'

/** Well-known paths: the page, its service worker, and what installing it as an app needs. */
export const fixedPaths = ['/', ...[...manifests, WORKER].map((name) => `/${name}`)]

/** Serves the dashboard and its files without authentication. */
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

function fileResponse(file: PageFile, requestHeaders: Headers): Response {
  const headers = new Headers({
    'content-type': file.type,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'Accept-Encoding',
    ...protectionOf(POLICY),
  })
  if (requestHeaders.get('if-none-match')?.includes(file.etag))
    return new Response(null, { status: 304, headers })
  const accepted = encodingFor(requestHeaders.get('accept-encoding') ?? '')
  const encoding = accepted in file.encodings ? accepted : 'identity'
  if (encoding !== 'identity') headers.set('content-encoding', encoding)
  const body = file.encodings[encoding] ?? file.encodings.identity
  return new Response(typeof body === 'string' ? Bun.file(body) : body, { headers })
}

function encodingFor(accepted: string): Encoding {
  if (acceptsEncoding(accepted, 'br')) return 'br'
  return acceptsEncoding(accepted, 'gzip') ? 'gzip' : 'identity'
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

/** Directives that forbid framing, forms and a changed base URL. */
export const unframed = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]

/** Allows only the server's own scripts, and forbids framing and injected markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data: https: http:",
  ...unframed,
  "require-trusted-types-for 'script'",
  // The policy of `dashboard/core/registerWorker.ts`: the one address of the service worker.
  'trusted-types worker',
]
