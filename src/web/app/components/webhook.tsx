import { useEffect, useState } from 'preact/hooks'
import { system as table } from '../../../model/system'
import { parseInstant } from '../../../model/time'
import { Problem } from '../../../model/validation'
import { announce, showToast } from '../actions'
import { ApiError, errorMessage, requestOwn } from '../api'
import { now } from '../clock'
import { createDraft } from '../drafts'
import { isOffline } from '../store'
import { strings } from '../strings'
import { systemStrings } from '../strings/system'
import { formatAgo } from '../time'
import { CopyField } from './copyField'
import { Deliveries, type Delivery } from './deliveries'
import { Skeleton } from './page'
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
const typed = createDraft('')

/** The webhook: registered, proven, watched and removed. */
export function WebhookCard() {
  const [hook, setHook] = useState<Webhook | null>(null)
  const [token, setToken] = useState<string | null>(null)
  const [problems, setProblems] = useState({ url: '', other: '' })
  const [isBusy, setBusy] = useState(false)
  const [isRemoving, setRemoving] = useState(false)

  const load = async () => setHook(await requestOwn<Webhook>(PATH))
  const attempt = async (act: () => Promise<void>, at: 'url' | 'other' = 'other') => {
    setProblems({ url: '', other: '' })
    if (isOffline.value || isBusy) return
    setBusy(true)
    await act().catch((cause) => setProblems({ url: '', other: '', [at]: explain(cause) }))
    setBusy(false)
  }
  useEffect(() => {
    if (!isOffline.value) load().catch(() => {})
  }, [isOffline.value])

  const register = (event: Event) => {
    event.preventDefault()
    const url = table.fields.webhook_url.read(typed.value.trim())
    const wrong = url instanceof Problem ? url.message : url === null ? systemStrings.noAddress : ''
    if (wrong !== '') return setProblems({ url: wrong, other: '' })
    attempt(async () => {
      const made = await requestOwn<{ token: string }>(PATH, { method: 'PUT', body: { url } })
      typed.value = ''
      setToken(made?.token ?? null)
      await load()
    }, 'url')
  }
  const act = (verb: 'verify' | 'enable') =>
    attempt(async () => {
      setHook(await requestOwn<Webhook>(`${PATH}/${verb}`, { method: 'POST' }))
      setToken(null)
      announce(systemStrings.isVerified)
    })
  const test = () =>
    attempt(async () => {
      const answer = await requestOwn<{ status: number | null; error?: string }>(`${PATH}/test`, {
        method: 'POST',
      })
      const { status = null, error = '' } = answer ?? {}
      showToast({
        text:
          status === null ? systemStrings.testFailed(error) : systemStrings.testAnswered(status),
      })
      await load()
    })
  const remove = () => {
    setRemoving(false)
    attempt(async () => {
      await requestOwn(PATH, { method: 'DELETE' })
      setToken(null)
      await load()
      showToast({ text: systemStrings.isRemoved })
    })
  }

  return (
    <section class="card" aria-labelledby="webhook">
      <h2 id="webhook">{systemStrings.webhook}</h2>
      <p class="quiet">{systemStrings.webhookMore}</p>
      {hook === null ? (
        <Skeleton blocks={['rows']} />
      ) : (
        <>
          {hook.url !== null && (
            <p class="long">
              <b dir="ltr">{hook.url}</b>
            </p>
          )}
          <p role="status">{describeState(hook)}</p>
          {token !== null && (
            <CopyField
              label={systemStrings.signingToken}
              value={token}
              hint={systemStrings.signingMore}
            />
          )}
          <p class="problem" role="alert">
            {problems.other}
          </p>
          <div class="row">
            {hook.state === 'pending' && (
              <Act text={systemStrings.verify} isBusy={isBusy} isMain onAct={() => act('verify')} />
            )}
            {hook.state === 'disabled' && (
              <Act text={systemStrings.goOn} isBusy={isBusy} isMain onAct={() => act('enable')} />
            )}
            {hook.state !== 'none' && (
              <>
                <Act text={systemStrings.sendTest} isBusy={isBusy} onAct={test} />
                <button
                  type="button"
                  class="danger"
                  aria-disabled={isOffline.value}
                  onClick={() => isOffline.value || setRemoving(true)}
                >
                  {systemStrings.remove}
                </button>
              </>
            )}
          </div>
          {hook.state === 'none' && (
            <form onSubmit={register} noValidate>
              <div class="field">
                <label for="webhook-address">{systemStrings.address}</label>
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
              <button type="submit" aria-disabled={isOffline.value} aria-busy={isBusy}>
                {systemStrings.register}
              </button>
            </form>
          )}
          {hook.state !== 'none' && <Deliveries all={hook.deliveries} />}
        </>
      )}
      {isRemoving && (
        <Sheet heading={systemStrings.removeAsk} onClose={() => setRemoving(false)}>
          <p>{systemStrings.removeEffect}</p>
          <button type="button" class="danger" onClick={remove}>
            {systemStrings.remove}
          </button>
          <button type="button" onClick={() => setRemoving(false)}>
            {strings.cancel}
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
      aria-disabled={isOffline.value}
      aria-busy={isBusy}
      onClick={onAct}
    >
      {text}
    </button>
  )
}

/** What is wrong with the address is said at its field, in the server's words. */
function explain(cause: unknown): string {
  const [first] = cause instanceof ApiError ? (cause.problems.url ?? []) : []
  return first?.message ?? errorMessage(cause, strings.away)
}

function describeState({ state, reason, failing_since, dropped }: Webhook): string {
  const since = parseInstant(failing_since ?? '')
  return [
    reason === null ? systemStrings.states[state] : systemStrings.stopped(reason),
    since === null ? '' : systemStrings.failingSince(formatAgo(now.value - since)),
    dropped === 0 ? '' : systemStrings.dropped(dropped),
  ]
    .filter(Boolean)
    .join(' ')
}
