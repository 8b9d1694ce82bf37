import { useEffect, useState } from 'preact/hooks'
import { requestOnce } from '../api/client'
import { registrationPath, sessionPath } from '../api/paths'
import type { Registration } from '../api/types'
import { invitation, route } from '../core/route'
import { loginNote } from '../core/session'
import { useAction } from '../core/useAction'
import { explain, finishLogin, Remember } from '../features/access/finishLogin'
import { logIn } from '../features/access/startSession'
import { TokenField } from '../features/access/tokenField'
import { strings } from '../texts/texts'
import { CenteredPage, Unreachable } from '../ui/centeredPage'
import { Form } from '../ui/form/textField'
import { lazy } from '../ui/lazy'

const LinkLogin = lazy(async () => (await import('./linkLogin')).LinkLogin, Unreachable)

/** Login with a one-time link, or with a token. */
export function Login({ code }: { code: string }) {
  return code === '' ? <TokenLogin /> : <LinkLogin code={code} />
}

function TokenLogin() {
  const [token, setToken] = useState('')
  const [remember, setRemember] = useState(true)
  const { onSubmit, problem, setProblem, isBusy } = useAction({ explain })

  const isInvited = route.value.page === 'friend'
  if (isInvited) invitation.value = location.hash

  const submit = async () => {
    if (token.trim() === '') return setProblem(strings.noToken)
    await logIn(sessionPath, { token: token.trim(), remember })
    finishLogin('token', remember)
  }

  return (
    <CenteredPage heading={strings.welcome}>
      {loginNote.value && (
        <p role="status" class="note">
          {loginNote.value}
        </p>
      )}
      {isInvited && <p class="note">{strings.isInvited}</p>}
      <p>{strings.howToLogIn}</p>
      <Form onSubmit={onSubmit(submit)}>
        {/* Gives password managers a user name for the token. */}
        <input type="text" autocomplete="username" hidden readOnly value={strings.title} />
        <TokenField
          name="token"
          autocomplete="current-password"
          value={token}
          problem={problem}
          onChange={setToken}
        />
        <Remember value={remember} onChange={setRemember} />
        <button class="main" type="submit" aria-busy={isBusy}>
          {strings.logIn}
        </button>
      </Form>
      <NewHere />
    </CenteredPage>
  )
}

/** Offers to create a system, or says whom to ask. */
function NewHere() {
  const [registration, setFound] = useState<Registration | null>(null)
  useEffect(() => {
    // Without the answer people can still log in.
    requestOnce(registrationPath).then(setFound, () => {})
  }, [])
  if (!registration) return null
  if (registration.needs_setup && registration.registration === 'closed')
    return <p>{strings.needsSetup}</p>
  return (
    <>
      {registration.registration !== 'open' && <p>{strings.newHere[registration.registration]}</p>}
      {registration.registration !== 'closed' && (
        <a class="button" href="#/create">
          {strings.createSystem}
        </a>
      )}
    </>
  )
}
