import {
  codeFromWeb,
  createdSystemToWeb,
  newSystemFromWeb,
  registrationToWeb,
  schemasWeb,
  setupToWeb,
} from '../../serializers/web'
import { createSystemInBrowser, getWebRegistration } from '../../service/access/registration'
import { previewSetup } from '../../service/access/setupCodes'
import type { Deps } from '../../service/core/deps'
import { describe, writeErrors } from '../server/openapi'
import { publicRoutes } from '../server/routeGroup'
import type { OriginConfig } from '../server/sessionCookie'
import type { LoginGuard } from './loginGuard'
import { deviceOf, LOGIN_BODY_LIMIT, sessionHeaders, TAG } from './sessions'

/** Creation of systems in a browser. */
export function registrationRoutes(deps: Deps, origin: OriginConfig, guard: LoginGuard) {
  return publicRoutes(LOGIN_BODY_LIMIT)
    .get(
      '/registration',
      async ({ set }) => {
        const { registration, needsSetup } = await getWebRegistration(deps)
        set.headers['cache-control'] = 'no-store'
        return registrationToWeb(registration, needsSetup)
      },
      {
        detail: describe({
          tag: TAG,
          id: 'getRegistration',
          summary: 'Get who may create a system',
          description:
            'Whether a visitor may create a system with `POST /web/systems`: not at all, with an invite, or freely.',
          responses: { 200: schemasWeb.registration },
        }),
      },
    )
    .post(
      '/setup',
      async ({ request, body, set }) => {
        guard.requireOwnPage(request)
        set.headers['cache-control'] = 'no-store'
        const setup = previewSetup(deps, codeFromWeb(body))
        return setupToWeb((await guard.requireAccess(request, setup)).expires)
      },
      {
        body: schemasWeb.setupCode,
        detail: describe({
          tag: TAG,
          allowsAnonymous: true,
          id: 'previewSetup',
          summary: 'Preview a set-up link',
          description:
            'Returns when the link expires, without redeeming its code. Wrong, used and expired codes, and all codes once there is a system, are answered with 401.',
          responses: { 200: schemasWeb.setup },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'tooManyRequests'],
        }),
      },
    )
    .post(
      '/systems',
      async ({ request, body, set }) => {
        guard.requireOwnPage(request)
        const { name, visibility, code, invite, remember } = newSystemFromWeb(body)
        const device = deviceOf(request, remember)
        const registration = { draft: { name }, visibility, code, invite, device }
        const creation = createSystemInBrowser(deps, registration)
        const { system, session, token } = await guard.requireAccess(request, creation)
        Object.assign(set.headers, sessionHeaders(request, origin, session, remember))
        set.status = 201
        return createdSystemToWeb(session, system, token)
      },
      {
        body: schemasWeb.newSystem,
        detail: describe({
          tag: TAG,
          allowsAnonymous: true,
          id: 'createSystemInBrowser',
          summary: 'Create a system in a browser',
          description:
            'Creates a system, logs the browser in as `POST /web/session` does, and returns a `full` token, which is shown once. Needs the `code` of a set-up link, or, depending on `WEB_REGISTRATION`, an `invite` or nothing. `visibility` sets every privacy level: `public` makes all public, `front` only `front_privacy`, `private` none. With `front` and `private`, `member_default_private` and `group_default_private` are set. Responds with 401 if the code or invite is missing, wrong, used or expired, and with 403 if registration is closed or the limit of systems is reached.',
          responses: { 201: schemasWeb.createdSystem },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'tooManyRequests'],
        }),
      },
    )
}
