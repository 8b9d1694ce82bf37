import { ApiError, requestOnce } from '../../api/client'
import { sessionPath } from '../../api/paths'
import { api } from '../../api/resources'
import { LEFT, loginNote, store, stored } from '../../core/session'
import { startOffline } from '../../offline/start'
import { loadRestOfStrings, moreStrings } from '../../texts/texts'

/** Ends the session that this browser left while the server did not answer. */

const TIMEOUT_MS = 10_000
const RETRY_MS = 15_000

const state = { retryTimer: 0, ending: null as Promise<void> | null }

/** Remembers a session that has ended here only; its ID is '' if it is unknown. */
export function leaveSession(id: string): void {
  store(LEFT, id)
}

/** Tries once, and again later if there is no answer. */
export function endOnServer(): Promise<void> {
  clearTimeout(state.retryTimer)
  state.ending ??= end().finally(() => {
    state.ending = null
  })
  return state.ending
}

async function end(): Promise<void> {
  const session = stored(LEFT)
  // A login, perhaps in another tab, has replaced it.
  if (session === null) return
  // The visit that left may have ended before its copy was deleted.
  startOffline().catch(() => {})
  await loadRestOfStrings().catch(() => {})
  loginNote.value = moreStrings.leftHere
  try {
    // By its ID, so that it cannot be one that another tab opened meanwhile.
    const path = session === '' ? sessionPath : api.sessions.at(session)
    await requestOnce(path, { method: 'DELETE', signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (cause) {
    if (!hasEnded(cause)) {
      state.retryTimer = window.setTimeout(endOnServer, RETRY_MS)
      return
    }
  }
  store(LEFT, null)
  loginNote.value = ''
}

/** Returns true if the server answered that there is no such session. */
function hasEnded(cause: unknown): boolean {
  return cause instanceof ApiError && (cause.status === 401 || cause.status === 404)
}

addEventListener('online', endOnServer)
