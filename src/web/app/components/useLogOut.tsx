import { useState } from 'preact/hooks'
import { isUnauthorized, requestOwn } from '../api'
import { clearSession, loginMethod } from '../session'
import { moreStrings, strings } from '../strings'
import { useAction } from '../useAction'
import { ConfirmSheet } from './confirmSheet'

interface Ending {
  /** Path whose deletion ends the session. */
  readonly path: string
  /** Ends the sessions of other browsers, too. */
  readonly isOfAll?: boolean
}

/**
 * Logs this browser out. Asks first where the person may not get back in, and stays logged in if the
 * server does not confirm it.
 */
export function useLogOut() {
  const { run, problem, isBusy } = useAction()
  const [asking, setAsking] = useState<Ending | null>(null)
  const logOut = (ending: Ending) =>
    run(async () => ((await isOnlyWayIn(ending)) ? setAsking(ending) : await end(ending)))
  const question = asking && (
    <ConfirmSheet
      heading={moreStrings.logOutAsk}
      effect={moreStrings.logOutEffect}
      action={strings.logOut}
      onConfirm={() => run(() => end(asking))}
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
  clearSession()
}

/** Checks that the browser came by a link, which is used up, and that no other one is logged in. */
async function isOnlyWayIn({ isOfAll = false }: Ending): Promise<boolean> {
  if (loginMethod() !== 'link') return false
  if (isOfAll) return true
  const sessions = await requestOwn<unknown[]>('web/sessions')
  return (sessions ?? []).length <= 1
}
