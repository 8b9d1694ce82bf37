import { useEffect, useState } from 'preact/hooks'
import { ApiError, request } from '../api'
import { CenteredPage } from '../components/centeredPage'
import { TokenField } from '../components/tokenField'
import { goTo, route } from '../route'
import { restoreSession } from '../session'
import { strings } from '../strings'

/** The door: with a link that asks before it is used up, or with a token. */
export function Login({ code }: { code: string }) {
  return code === '' ? <WithToken /> : <WithLink code={code} />
}

function WithToken() {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState('')
  const [remember, setRemember] = useState(true)
  const [isBusy, setBusy] = useState(false)

  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    if (token.trim() === '') return setProblem(strings.noToken)
    setBusy(true)
    setProblem('')
    try {
      await request('web/session', { method: 'POST', body: { token: token.trim(), remember } })
      enter()
    } catch (cause) {
      setProblem(explain(cause))
    }
    setBusy(false)
  }

  return (
    <CenteredPage heading={strings.welcome}>
      <p>{strings.howToComeIn}</p>
      <form onSubmit={submit} noValidate>
        {/* So that a password manager knows what the token is for. */}
        <input type="text" autocomplete="username" hidden readOnly value={strings.title} />
        <TokenField
          id="token"
          autocomplete="current-password"
          value={token}
          problem={problem}
          onChange={setToken}
        />
        <Remember value={remember} onChange={setRemember} />
        <button class="main" type="submit" aria-busy={isBusy}>
          {strings.comeIn}
        </button>
      </form>
    </CenteredPage>
  )
}

function Remember({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  return (
    <div class="check">
      <input
        id="remember"
        type="checkbox"
        checked={value}
        aria-describedby="remember-more"
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <div>
        <label for="remember">{strings.remember}</label>
        <div id="remember-more" class="quiet small">
          {strings.rememberMore}
        </div>
      </div>
    </div>
  )
}

type Link = { is: 'asking' } | { is: 'open'; name: string } | { is: 'over' } | { is: 'away' }

function WithLink({ code }: { code: string }) {
  const [link, setLink] = useState<Link>({ is: 'asking' })
  const [remember, setRemember] = useState(true)
  const [problem, setProblem] = useState('')

  const fail = (cause: unknown) =>
    setLink({ is: cause instanceof ApiError && cause.status === 401 ? 'over' : 'away' })

  useEffect(() => {
    // Whoever looks over a shoulder, or into the history, finds no code.
    history.replaceState(null, '', '#/login')
    request<{ system: { name: string | null } }>('web/login', {
      method: 'POST',
      body: { code },
    }).then(
      (found) => setLink({ is: 'open', name: found?.system.name ?? strings.yourSystem }),
      fail,
    )
  }, [code])

  const comeIn = async () => {
    try {
      await request('web/session', { method: 'POST', body: { code, remember } })
      enter()
    } catch (cause) {
      if (cause instanceof ApiError && cause.status === 401) setLink({ is: 'over' })
      else setProblem(explain(cause))
    }
  }

  if (link.is === 'asking') return <main class="door" aria-busy="true" />
  if (link.is === 'open')
    return (
      <CenteredPage heading={strings.comeInAs(link.name)}>
        <Remember value={remember} onChange={setRemember} />
        <p class="problem" role="alert">
          {problem}
        </p>
        <button class="main" type="button" onClick={comeIn}>
          {strings.comeIn}
        </button>
      </CenteredPage>
    )
  return (
    <CenteredPage heading={strings.welcome}>
      <p role="alert">{link.is === 'over' ? strings.linkIsOver : strings.away}</p>
      <button type="button" onClick={() => goTo('#/login/')}>
        {strings.toLogin}
      </button>
    </CenteredPage>
  )
}

/** Back to where one was; only from the door itself it is to the first place. */
function enter(): void {
  if (route.value.page === 'login') goTo('#/now')
  restoreSession()
}

function explain(cause: unknown): string {
  if (!(cause instanceof ApiError)) return strings.away
  if (cause.status === 429) return strings.tooMany
  if (cause.status === 403) return strings.lesserToken
  return cause.status === 401 ? strings.wrongToken : cause.message
}
