import { useState } from 'preact/hooks'
import { isUnauthorized, request } from '../../api/client'
import { api } from '../../api/resources'
import { clearSession, loginMethod } from '../../core/session'
import { isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { countUnsent, currentSession, forgetEverything } from '../../offline/start'
import { moreStrings, offlineStrings, strings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { endOnServer, leaveSession } from './leftSession'

interface Ending {
  /** Path whose deletion ends the session. */
  readonly path: string
  /** Ends the sessions of other browsers, too. */
  readonly isOfAll?: boolean
}

/** Question before logging out. */
interface Question {
  readonly ending: Ending
  /** Switches that the server may not have. */
  readonly unsent: number
  /** The person may not get back in. */
  readonly needsLink: boolean
}

/**
 * Logs this browser out. Asks first where the person may not get back in or loses switches. Without
 * an answer of the server, the session ends here at once and there later; other browsers stay logged
 * in.
 */
export function useLogOut() {
  const { run, problem, isBusy } = useAction({ isLocal: true })
  const [asking, setAsking] = useState<Question | null>(null)
  const logOut = (ending: Ending) =>
    run(async () => {
      const unsent = await countUnsent()
      const needsLink = await isOnlyWayIn(ending)
      if (unsent > 0 || needsLink) setAsking({ ending, unsent, needsLink })
      else await end(ending)
    })
  const question = asking && (
    <ConfirmSheet
      heading={asking.unsent > 0 ? offlineStrings.logOutAsk : moreStrings.logOutAsk}
      effect={[
        ...(asking.unsent > 0 ? [offlineStrings.logOutEffect(asking.unsent)] : []),
        ...(asking.needsLink ? [moreStrings.logOutEffect] : []),
      ].join(' ')}
      action={strings.logOut}
      onConfirm={() => run(() => end(asking.ending))}
      onClose={() => setAsking(null)}
    />
  )
  return {
    logOut,
    question,
    isBusy,
    problem: problem === '' ? '' : moreStrings.logOutFailed(problem),
  }
}

/** A server that takes longer than this is told later. */
const TIMEOUT_MS = 5000

async function end({ path, isOfAll = false }: Ending): Promise<void> {
  const isLeft = !(await endNow(path, isOfAll))
  if (isLeft) leaveSession(currentSession())
  try {
    await forgetEverything()
  } finally {
    clearSession()
    if (isLeft) endOnServer()
  }
}

/** Returns false if the server does not answer, and the session can end later. */
async function endNow(path: string, isOfAll: boolean): Promise<boolean> {
  if (isOffline.value && !isOfAll) return false
  try {
    await request(path, { method: 'DELETE', signal: AbortSignal.timeout(TIMEOUT_MS) })
    return true
  } catch (cause) {
    // The session has ended already.
    if (isUnauthorized(cause)) return true
    if (isOfAll) throw cause
    return false
  }
}

/** Checks that the browser came by a link, which is used up, and that no other one is logged in. */
async function isOnlyWayIn({ isOfAll = false }: Ending): Promise<boolean> {
  if (loginMethod() !== 'link') return false
  if (isOfAll) return true
  if (isOffline.value) return true
  try {
    const sessions = await request(api.sessions.list, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return (sessions ?? []).length <= 1
  } catch (cause) {
    if (isUnauthorized(cause)) return false
    // Other browsers are unknown.
    return true
  }
}
