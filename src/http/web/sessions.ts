import { t } from 'elysia'
import { nameBrowser } from '../../model/browser'
import { DomainError, error } from '../../model/errors'
import { anonymousViewer } from '../../model/privacy'
import {
  codeFromWeb,
  deviceNameFromWeb,
  deviceToWeb,
  EXAMPLE_SESSION,
  loginFromWeb,
  loginToWeb,
  schemasWeb,
  sessionToWeb,
} from '../../serializers/web'
import { previewLogin } from '../../service/access/loginLinks'
import {
  endAllSessions,
  endOwnSession,
  endSession,
  getSession,
  listSessions,
  openSession,
  renameSession,
} from '../../service/access/sessions'
import type { Deps } from '../../service/deps'
import { getSystem } from '../../service/systems'
import { clientOf, type RequestWithContext } from '../context'
import { describe, writeErrors } from '../openapi'
import { publicRoutes, routes } from '../routeGroup'
import {
  clearCookie,
  cookieFor,
  isLoginAllowed,
  isSameOrigin,
  type OriginConfig,
  readSessionCookie,
  setCookie,
} from './cookie'
import type { LoginAttempts } from './loginAttempts'

const TAG = 'Access'

const ofSession = t.Object({
  id: t.String({ description: 'The ID of a session', example: EXAMPLE_SESSION }),
})

/** Bytes. An anonymous caller may send them, and a token or code is far shorter. */
const LOGIN_BODY_LIMIT = 4 * 1024

/** Coming in, and going. */
export function loginRoutes(deps: Deps, origin: OriginConfig, attempts: LoginAttempts) {
  /** Counts who was wrong, and refuses them; which way they were wrong is nobody's business. */
  const refuse = (request: RequestWithContext): DomainError => {
    const { address } = clientOf(request, origin.trustedProxies)
    const wait = attempts.add(address, Date.now())
    return wait === null
      ? error('unauthorized')
      : error('tooManyRequests', 'too many wrong tries', wait)
  }
  const requireOwnPage = ({ headers }: Request) => {
    if (!isLoginAllowed(headers, origin)) throw error('forbidden')
  }

  return publicRoutes(LOGIN_BODY_LIMIT)
    .post(
      '/session',
      async ({ request, body, set }) => {
        requireOwnPage(request)
        const { proof, remember } = loginFromWeb(body)
        const name = nameBrowser(request.headers.get('user-agent'))
        const opened = await openSession(deps, anonymousViewer, proof, { name, remember })
        if (!opened) throw refuse(request)
        const own = { system: opened.system_id, platform: null }
        const system = await getSystem(deps, own, '@me')
        set.headers['set-cookie'] = setCookie(
          cookieFor(request.headers, origin),
          opened.secret,
          remember,
        )
        set.headers['cache-control'] = 'no-store'
        return sessionToWeb(opened, system)
      },
      {
        body: schemasWeb.login,
        detail: describe({
          tag: TAG,
          allowsAnonymous: true,
          id: 'openSession',
          summary: 'Log a browser in',
          description:
            'With a `full` token or the code of a login link. The answer sets a cookie, which counts for requests of the server’s own page only. After five wrong tries in a minute further wrong ones are 429; a right one always comes in.',
          responses: { 200: schemasWeb.session },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'tooManyRequests'],
        }),
      },
    )
    .post(
      '/login',
      async ({ request, body, set }) => {
        requireOwnPage(request)
        set.headers['cache-control'] = 'no-store'
        try {
          return loginToWeb(await previewLogin(deps, anonymousViewer, codeFromWeb(body)))
        } catch (cause) {
          throw cause instanceof DomainError && cause.kind === 'unauthorized'
            ? refuse(request)
            : cause
        }
      },
      {
        body: schemasWeb.code,
        detail: describe({
          tag: TAG,
          allowsAnonymous: true,
          id: 'peekAtLogin',
          summary: 'Ask whom a login link lets in as',
          description: 'Without using it up. Wrong, used and expired are the same 401.',
          responses: { 200: schemasWeb.peek },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'tooManyRequests'],
        }),
      },
    )
    .delete(
      '/session',
      async ({ request, set }) => {
        const { method, headers } = request
        const secret = isSameOrigin(method, headers, origin)
          ? readSessionCookie(headers, origin)
          : null
        if (secret === null) throw error('unauthorized')
        await endOwnSession(deps, anonymousViewer, secret)
        set.headers['set-cookie'] = clearCookie(cookieFor(headers, origin))
        set.status = 204
      },
      {
        detail: describe({
          tag: TAG,
          id: 'endOwnSession',
          summary: 'Log this browser out',
          description: 'Its next request is nobody’s, and its streams end.',
          responses: { 204: null },
          errors: [...writeErrors],
        }),
      },
    )
}

/** Being in. */
export function ownSessionRoute(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).get(
    '/session',
    async ({ viewer }) => {
      const session = await getSession(deps, viewer)
      return sessionToWeb(session, await getSystem(deps, viewer, '@me'))
    },
    {
      detail: describe({
        tag: TAG,
        id: 'getSession',
        summary: 'Ask who is logged in here',
        description: 'For browsers: 401 without a session, also with a token.',
        requiresAuth: true,
        responses: { 200: schemasWeb.session },
        errors: ['unauthorized'],
      }),
    },
  )
}

/** Being in on several devices. */
export function sessionRoutes(deps: Deps, bodyLimit: number, origin: OriginConfig) {
  return routes(bodyLimit)
    .get(
      '/sessions',
      async ({ viewer }) => {
        const all = await listSessions(deps, viewer)
        return all.map((session) => deviceToWeb(session, session.id === viewer.session))
      },
      {
        detail: describe({
          tag: TAG,
          id: 'listSessions',
          summary: 'List the browsers that are logged in',
          description: 'The newest first, with when each was last used.',
          requiresAuth: true,
          responses: { 200: t.Array(schemasWeb.device) },
          errors: ['unauthorized', 'forbidden'],
        }),
      },
    )
    .delete(
      '/sessions',
      async ({ request, viewer, set }) => {
        await endAllSessions(deps, viewer)
        if (viewer.session !== undefined)
          set.headers['set-cookie'] = clearCookie(cookieFor(request.headers, origin))
        set.status = 204
      },
      {
        detail: describe({
          tag: TAG,
          id: 'endAllSessions',
          summary: 'Log out everywhere',
          description: 'Ends every session, and every login link that is still open.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden'],
        }),
      },
    )
    .patch(
      '/sessions/:id',
      async ({ params, viewer, body }) => {
        const session = await renameSession(deps, viewer, params.id, deviceNameFromWeb(body))
        return deviceToWeb(session, session.id === viewer.session)
      },
      {
        params: ofSession,
        body: schemasWeb.deviceName,
        detail: describe({
          tag: TAG,
          id: 'renameSession',
          summary: 'Give a browser another name',
          description: 'Each is named after itself at first, such as “Firefox on Android”.',
          responses: { 200: schemasWeb.device },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'notFound'],
        }),
      },
    )
    .delete(
      '/sessions/:id',
      async ({ params, viewer, set }) => {
        await endSession(deps, viewer, params.id)
        set.status = 204
      },
      {
        params: ofSession,
        detail: describe({
          tag: TAG,
          id: 'endSession',
          summary: 'Log a browser out',
          description: 'Its next request is nobody’s, and its streams end.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'notFound'],
        }),
      },
    )
}
