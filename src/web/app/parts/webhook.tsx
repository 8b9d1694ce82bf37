import { useEffect, useState } from 'preact/hooks'
import { system as table } from '../../../model/system'
import { parseInstant } from '../../../model/time'
import { Problem } from '../../../model/validation'
import { say, tell } from '../acts'
import { askOwn, explainRefusal, Refused } from '../client'
import { keepDraft } from '../drafts'
import { isAway } from '../store'
import { now } from '../ticking'
import { spellAgo } from '../time'
import { words } from '../words'
import { systemWords } from '../words/system'
import { CopyField } from './copyField'
import { Deliveries, type Delivery } from './deliveries'
import { Waiting } from './page'
import { Sheet } from './sheet'

interface Webhook {
  readonly url: string | null
  readonly state: 'none' | 'pending' | 'active' | 'disabled'
  readonly reason: string | null
  readonly failing_since: string | null
  readonly dropped: number
  readonly deliveries: readonly Delivery[]
}

const PATH = 'v2/systems/@me/webhook'
const typed = keepDraft('')

/** The webhook: registered, proven, watched and removed. */
export function WebhookCard() {
  const [hook, setHook] = useState<Webhook | null>(null)
  const [token, setToken] = useState<string | null>(null)
  const [problems, setProblems] = useState({ url: '', other: '' })
  const [isBusy, setBusy] = useState(false)
  const [isRemoving, setRemoving] = useState(false)

  const load = async () => setHook(await askOwn<Webhook>(PATH))
  const attempt = async (act: () => Promise<void>, at: 'url' | 'other' = 'other') => {
    setProblems({ url: '', other: '' })
    if (isAway.value || isBusy) return
    setBusy(true)
    await act().catch((cause) => setProblems({ url: '', other: '', [at]: explain(cause) }))
    setBusy(false)
  }
  useEffect(() => {
    if (!isAway.value) load().catch(() => {})
  }, [isAway.value])

  const register = (event: Event) => {
    event.preventDefault()
    const url = table.fields.webhook_url.read(typed.value.trim())
    const wrong = url instanceof Problem ? url.message : url === null ? systemWords.noAddress : ''
    if (wrong !== '') return setProblems({ url: wrong, other: '' })
    attempt(async () => {
      const made = await askOwn<{ token: string }>(PATH, { method: 'PUT', body: { url } })
      typed.value = ''
      setToken(made?.token ?? null)
      await load()
    }, 'url')
  }
  const act = (verb: 'verify' | 'enable') =>
    attempt(async () => {
      setHook(await askOwn<Webhook>(`${PATH}/${verb}`, { method: 'POST' }))
      setToken(null)
      say(systemWords.isVerified)
    })
  const test = () =>
    attempt(async () => {
      const answer = await askOwn<{ status: number | null; error?: string }>(`${PATH}/test`, {
        method: 'POST',
      })
      const { status = null, error = '' } = answer ?? {}
      tell({
        text: status === null ? systemWords.testFailed(error) : systemWords.testAnswered(status),
      })
      await load()
    })
  const remove = () => {
    setRemoving(false)
    attempt(async () => {
      await askOwn(PATH, { method: 'DELETE' })
      setToken(null)
      await load()
      tell({ text: systemWords.isRemoved })
    })
  }

  return (
    <section class="card" aria-labelledby="webhook">
      <h2 id="webhook">{systemWords.webhook}</h2>
      <p class="quiet">{systemWords.webhookMore}</p>
      {hook === null ? (
        <Waiting blocks={['rows']} />
      ) : (
        <>
          {hook.url !== null && (
            <p class="long">
              <b dir="ltr">{hook.url}</b>
            </p>
          )}
          <p role="status">{tellState(hook)}</p>
          {token !== null && (
            <CopyField
              label={systemWords.signingToken}
              value={token}
              hint={systemWords.signingMore}
            />
          )}
          <p class="problem" role="alert">
            {problems.other}
          </p>
          <div class="row">
            {hook.state === 'pending' && (
              <Act text={systemWords.verify} isBusy={isBusy} isMain onAct={() => act('verify')} />
            )}
            {hook.state === 'disabled' && (
              <Act text={systemWords.goOn} isBusy={isBusy} isMain onAct={() => act('enable')} />
            )}
            {hook.state !== 'none' && (
              <>
                <Act text={systemWords.sendTest} isBusy={isBusy} onAct={test} />
                <button
                  type="button"
                  class="danger"
                  aria-disabled={isAway.value}
                  onClick={() => isAway.value || setRemoving(true)}
                >
                  {systemWords.remove}
                </button>
              </>
            )}
          </div>
          {hook.state === 'none' && (
            <form onSubmit={register} noValidate>
              <div class="field">
                <label for="webhook-address">{systemWords.address}</label>
                <input
                  id="webhook-address"
                  type="url"
                  dir="ltr"
                  inputMode="url"
                  autocomplete="off"
                  placeholder="https://"
                  value={typed.value}
                  maxLength={table.fields.webhook_url.max}
                  aria-invalid={problems.url !== ''}
                  aria-describedby="webhook-problem"
                  onInput={(event) => {
                    typed.value = event.currentTarget.value
                  }}
                />
                <p id="webhook-problem" class="problem" role="alert">
                  {problems.url}
                </p>
              </div>
              <button type="submit" aria-disabled={isAway.value} aria-busy={isBusy}>
                {systemWords.register}
              </button>
            </form>
          )}
          {hook.state !== 'none' && <Deliveries all={hook.deliveries} />}
        </>
      )}
      {isRemoving && (
        <Sheet heading={systemWords.removeAsk} onClose={() => setRemoving(false)}>
          <p>{systemWords.removeEffect}</p>
          <button type="button" class="danger" onClick={remove}>
            {systemWords.remove}
          </button>
          <button type="button" onClick={() => setRemoving(false)}>
            {words.cancel}
          </button>
        </Sheet>
      )}
    </section>
  )
}

interface ActProps {
  text: string
  isBusy: boolean
  isMain?: boolean
  onAct: () => void
}

function Act({ text, isBusy, isMain = false, onAct }: ActProps) {
  return (
    <button
      type="button"
      class={isMain ? 'main' : ''}
      aria-disabled={isAway.value}
      aria-busy={isBusy}
      onClick={onAct}
    >
      {text}
    </button>
  )
}

/** What is wrong with the address is said at its field, in the server's words. */
function explain(cause: unknown): string {
  const [first] = cause instanceof Refused ? (cause.problems.url ?? []) : []
  return first?.message ?? explainRefusal(cause, words.away)
}

function tellState({ state, reason, failing_since, dropped }: Webhook): string {
  const since = parseInstant(failing_since ?? '')
  return [
    reason === null ? systemWords.states[state] : systemWords.stopped(reason),
    since === null ? '' : systemWords.failingSince(spellAgo(now.value - since)),
    dropped === 0 ? '' : systemWords.dropped(dropped),
  ]
    .filter(Boolean)
    .join(' ')
}
