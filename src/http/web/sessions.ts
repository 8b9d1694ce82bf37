import { t } from 'elysia'
import { nameBrowser } from '../../model/access/browser'
import type { Device, OpenedSession } from '../../model/access/session'
import { error } from '../../model/core/errors'
import {
  codeFromWeb,
  deviceNameFromWeb,
  deviceToWeb,
  EXAMPLE_SESSION,
  loginFromWeb,
  loginLinkToWeb,
  loginToWeb,
  schemasWeb,
  sessionToWeb,
} from '../../serializers/web'
import { createLoginCode, previewLogin } from '../../service/access/loginLinks'
import {
  endAllSessions,
  endOwnSession,
  endSession,
  getSession,
  listSessions,
  openSession,
  renameSession,
} from '../../service/access/sessions'
import type { Deps } from '../../service/core/deps'
import { getSystem } from '../../service/systems/systems'
import { describe, writeErrors } from '../server/openapi'
import { publicRoutes, routes } from '../server/routeGroup'
import {
  addressOf,
  clearCookie,
  cookieFor,
  isSameOrigin,
  type OriginConfig,
  readSessionCookie,
  setCookie,
} from '../server/sessionCookie'
import type { LoginGuard } from './loginGuard'

export const TAG = 'Access'

const ofSession = t.Object({
  id: t.String({ description: 'ID of a session', example: EXAMPLE_SESSION }),
})

/** Limit in bytes for anonymous callers; a token or code is much shorter. */
export const LOGIN_BODY_LIMIT = 4 * 1024

/** Login and logout. */
export function loginRoutes(deps: Deps, origin: OriginConfig, guard: LoginGuard) {
  return publicRoutes(LOGIN_BODY_LIMIT)
    .post(
      '/session',
      async ({ request, body, set }) => {
        guard.requireOwnPage(request)
        const { proof, remember } = loginFromWeb(body)
        const device = deviceOf(request, remember)
        const session = await guard.requireAccess(request, openSession(deps, proof, device))
        const owner = { system: session.system_id, platform: null }
        const system = await getSystem(deps, owner, '@me')
        Object.assign(set.headers, sessionHeaders(request, origin, session, remember))
        return sessionToWeb(session, system)
      },
      {
        body: schemasWeb.login,
        detail: describe({
          tag: TAG,
          allowsAnonymous: true,
          id: 'createSession',
          summary: 'Log in',
          description:
            'Accepts a `full` token or the code of a login link. The response sets a cookie, which is valid only for requests from the server’s own page. After five failed attempts within a minute, further failures are answered with 429; a correct token or code is always accepted.',
          responses: { 200: schemasWeb.session },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'tooManyRequests'],
        }),
      },
    )
    .post(
      '/login',
      async ({ request, body, set }) => {
        guard.requireOwnPage(request)
        set.headers['cache-control'] = 'no-store'
        const preview = previewLogin(deps, codeFromWeb(body))
        return loginToWeb(await guard.requireAccess(request, preview))
      },
      {
        body: schemasWeb.code,
        detail: describe({
          tag: TAG,
          allowsAnonymous: true,
          id: 'previewLogin',
          summary: 'Preview a login link',
          description:
            'Returns the system that the code logs in as, without redeeming the code. Wrong, used and expired codes are all answered with 401.',
          responses: { 200: schemasWeb.loginPreview },
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
        await endOwnSession(deps, secret)
        set.headers['set-cookie'] = clearCookie(cookieFor(headers, origin))
        set.status = 204
      },
      {
        detail: describe({
          tag: TAG,
          id: 'deleteOwnSession',
          summary: 'Log out',
          description:
            'Ends the session. Further requests of the browser are anonymous, and its streams are closed.',
          responses: { 204: null },
          errors: [...writeErrors],
        }),
      },
    )
}

/** Device of a new session, named after its browser. */
export function deviceOf({ headers }: Request, remember: boolean): Device {
  return { name: nameBrowser(headers.get('user-agent')), remember }
}

/** Headers of the response that logs a browser in. */
export function sessionHeaders(
  { headers }: Request,
  origin: OriginConfig,
  { secret }: OpenedSession,
  remember: boolean,
) {
  return {
    'set-cookie': setCookie(cookieFor(headers, origin), secret, remember),
    'cache-control': 'no-store',
  }
}

/** Current session of a browser. */
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
        summary: 'Get the current session',
        description: 'For browsers. Responds with 401 without a session, even with a token.',
        requiresAuth: true,
        responses: { 200: schemasWeb.session },
        errors: ['unauthorized'],
      }),
    },
  )
}

/** Sessions on all devices of a system. */
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
          summary: 'List sessions',
          description:
            'Returns the browsers that are logged in, newest first, with the time of their last use.',
          requiresAuth: true,
          responses: { 200: t.Array(schemasWeb.device) },
          errors: ['unauthorized', 'forbidden'],
        }),
      },
    )
    .post(
      '/login-links',
      async ({ request, viewer, set }) => {
        const { code, expires } = await createLoginCode(deps, viewer)
        set.status = 201
        set.headers['cache-control'] = 'no-store'
        return loginLinkToWeb(addressOf(request, origin), code, expires)
      },
      {
        detail: describe({
          tag: TAG,
          id: 'createOwnLoginLink',
          summary: 'Create a login link for another device',
          description:
            'Creates a link that logs another browser in. It works once, within ten minutes. A system has at most three open links, and a further one invalidates the oldest.',
          responses: { 201: schemasWeb.loginLink },
          errors: [...writeErrors, 'forbidden'],
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
          id: 'deleteAllSessions',
          summary: 'Log out everywhere',
          description: 'Ends all sessions, and invalidates all open login links.',
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
          summary: 'Rename a session',
          description: 'The initial name describes the browser, such as “Firefox on Android”.',
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
          id: 'deleteSession',
          summary: 'Log out a session',
          description:
            'Ends the session. Further requests of the browser are anonymous, and its streams are closed.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'notFound'],
        }),
      },
    )
}
