import { useState } from 'preact/hooks'
import { isUnauthorized, requestOwn } from '../api'
import { countUnsent, forgetEverything } from '../offline/start'
import { clearSession, loginMethod } from '../session'
import { moreStrings, offlineStrings, strings } from '../strings'
import { useAction } from '../useAction'
import { ConfirmSheet } from './confirmSheet'

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
 * Logs this browser out. Asks first where the person may not get back in or loses
 * switches, and stays logged in if the
 * server does not confirm it.
 */
export function useLogOut() {
  const { run, problem, isBusy } = useAction()
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

async function end({ path }: Ending): Promise<void> {
  try {
    await requestOwn(path, { method: 'DELETE' })
  } catch (cause) {
    // The session has ended already.
    if (!isUnauthorized(cause)) throw cause
  }
  try {
    await forgetEverything()
  } finally {
    clearSession()
  }
}

/** Checks that the browser came by a link, which is used up, and that no other one is logged in. */
async function isOnlyWayIn({ isOfAll = false }: Ending): Promise<boolean> {
  if (loginMethod() !== 'link') return false
  if (isOfAll) return true
  const sessions = await requestOwn<unknown[]>('web/sessions')
  return (sessions ?? []).length <= 1
}
