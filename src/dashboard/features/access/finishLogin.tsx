import { ApiError, errorMessage } from '../../api/client'
import { goTo, invitation, route } from '../../core/route'
import type { LoginMethod } from '../../core/session'
import { strings } from '../../texts/texts'
import { CheckField } from '../../ui/checkField'
import { startSession } from './startSession'

export function Remember(props: { value: boolean; onChange: (value: boolean) => void }) {
  return (
    <CheckField id="remember" label={strings.remember} hint={strings.rememberMore} {...props} />
  )
}

/** Returns to the page that needed the login; from the login page itself to Now. */
export function finishLogin(method: LoginMethod, isRemembered: boolean): void {
  if (route.value.page === 'login') goTo(invitation.value || '#/now')
  startSession(method, isRemembered)
}

export function explain(cause: unknown): string {
  if (!(cause instanceof ApiError)) return strings.unreachable
  if (cause.status === 429) return strings.tooMany
  if (cause.status === 403) return strings.limitedToken
  return cause.status === 401 ? strings.wrongToken : errorMessage(cause)
}
