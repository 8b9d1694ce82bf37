import { isSessionOver, isUnauthorized, requestOnce } from '../../api/client'
import { sessionPath } from '../../api/paths'
import {
  ignoreError,
  isNewLogin,
  keepsData,
  LEFT,
  type LoginMethod,
  loginMethod,
  loginNote,
  rememberLogin,
  sessionState,
  startKeeping,
  store,
  stored,
} from '../../core/session'

/**
 * Detects an existing session. If this browser was logged in last time, data is requested at once,
 * and a 401 ends the session; otherwise the session is checked first.
 */
export async function restoreSession(): Promise<void> {
  if (stored(LEFT) !== null) {
    sessionState.value = 'out'
    return await endLeftSession()
  }
  try {
    if (!loginMethod()) await requestOnce(sessionPath)
    isSessionOver.value = false
    sessionState.value = 'in'
  } catch (cause) {
    sessionState.value = isUnauthorized(cause) ? 'out' : 'away'
    // An earlier visit may have ended before its copy was deleted.
    if (isUnauthorized(cause) && keepsData()) startOfflineUse()
  }
}

/** Sends a login. A session that this browser left ends before, because its cookie is replaced. */
export async function logIn<T>(path: string, body: object): Promise<T | null> {
  if (stored(LEFT) !== null) await endLeftSession()
  return await requestOnce<T>(path, { method: 'POST', body })
}

/** Ends the session that this browser left, now or when the server answers again. */
export function endLeftSession(): Promise<void> {
  return import('./leftSession').then(({ endOnServer }) => endOnServer()).catch(ignoreError)
}

/** Opens the dashboard after a login. */
export async function startSession(method: LoginMethod, isRemembered: boolean): Promise<void> {
  store(LEFT, null)
  // Drops the data of another system that this browser was logged in as.
  sessionState.value = 'out'
  rememberLogin(method)
  if (isRemembered) startKeeping()
  isNewLogin.value = true
  loginNote.value = ''
  await restoreSession()
}

export function startOfflineUse(): Promise<void> {
  return import('../../offline/start')
    .then(({ startOffline }) => startOffline(loadNowPage))
    .catch(ignoreError)
}

/** Loads the parts of Now that are loaded when they are needed. */
function loadNowPage(): Promise<unknown> {
  return Promise.all([import('../front/queueCard'), import('../front/nowParts')])
}
