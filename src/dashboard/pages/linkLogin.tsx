import { useEffect, useState } from 'preact/hooks'
import { isUnauthorized, requestOnce } from '../api/client'
import { sessionPath } from '../api/paths'
import { loginPath } from '../api/resources'
import { goTo } from '../core/route'
import { useAction } from '../core/useAction'
import { explain, finishLogin, Remember } from '../features/access/finishLogin'
import { logIn } from '../features/access/startSession'
import { createStrings, strings } from '../texts/texts'
import { CenteredPage } from '../ui/centeredPage'
import { ProblemText } from '../ui/problemText'

type Link =
  | { is: 'loading' }
  | { is: 'open'; name: string }
  | { is: 'over' }
  | { is: 'away'; why: string }

/** Login with a one-time link, which is used up only after confirmation. */
export function LinkLogin({ code }: { code: string }) {
  const [link, setLink] = useState<Link>({ is: 'loading' })
  const [remember, setRemember] = useState(true)
  const { run, problem } = useAction({ explain })

  const check = () => {
    setLink({ is: 'loading' })
    requestOnce<{ system: { name: string | null } }>(loginPath, {
      method: 'POST',
      body: { code },
    }).then(
      (answer) => setLink({ is: 'open', name: answer?.system.name ?? strings.yourSystem }),
      (cause) =>
        setLink(isUnauthorized(cause) ? { is: 'over' } : { is: 'away', why: explain(cause) }),
    )
  }
  useEffect(() => {
    // Removes the code from the address bar and the browser's history.
    history.replaceState(null, '', '#/login')
    check()
  }, [code])

  const submit = () =>
    run(async () => {
      try {
        await logIn(sessionPath, { code, remember })
        finishLogin('link', remember)
      } catch (cause) {
        if (!isUnauthorized(cause)) throw cause
        setLink({ is: 'over' })
      }
    })

  if (link.is === 'loading') return <main class="door" aria-busy="true" />
  if (link.is === 'open')
    return (
      <CenteredPage heading={createStrings.logInAs(link.name)}>
        <Remember value={remember} onChange={setRemember} />
        <ProblemText text={problem} />
        <button class="main" type="button" onClick={submit}>
          {strings.logIn}
        </button>
      </CenteredPage>
    )
  return (
    <CenteredPage heading={strings.welcome}>
      <p role="alert">{link.is === 'over' ? createStrings.linkIsOver : link.why}</p>
      {link.is === 'away' && (
        <button type="button" class="main" onClick={check}>
          {strings.tryAgain}
        </button>
      )}
      <button type="button" onClick={() => goTo('#/login/')}>
        {createStrings.otherLogin}
      </button>
    </CenteredPage>
  )
}
