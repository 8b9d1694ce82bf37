import { useEffect, useState } from 'preact/hooks'
import { parseCoded } from '../../../model/core/coded'
import { parseInstant } from '../../../model/core/time'
import { Problem } from '../../../model/core/validation'
import { webhookMessages } from '../../../model/core/webhookMessages'
import { system as table } from '../../../model/systems/system'
import { ApiError, problemMessage, request } from '../../api/client'
import { webhookPaths } from '../../api/resources'
import { announce, showToast } from '../../core/actions'
import { createDraft } from '../../core/drafts'
import { isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { now } from '../../lib/clock'
import { formatAgo } from '../../lib/time'
import { strings, systemStrings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { CopyField } from '../../ui/copyField'
import { type FieldTexts, useFormState } from '../../ui/form/formState'
import { Form, TextField } from '../../ui/form/textField'
import { Skeleton } from '../../ui/page'
import { ProblemText } from '../../ui/problemText'
import { Deliveries, type Delivery } from './deliveries'

interface Webhook {
  readonly url: string | null
  readonly state: 'none' | 'pending' | 'active' | 'disabled'
  readonly reason: string | null
  readonly failing_since: string | null
  readonly dropped: number
  readonly deliveries: readonly Delivery[]
}

const typed = createDraft('')

/** Registers, verifies, tests and removes the webhook, and shows its state. */
export function WebhookCard() {
  const [hook, setHook] = useState<Webhook | null>(null)
  const [token, setToken] = useState<string | null>(null)
  const { run, problem, isBusy } = useAction()
  const [isRemoving, setRemoving] = useState(false)

  const load = async () => setHook(await request<Webhook>(webhookPaths.state))
  useEffect(() => {
    if (!isOffline.value) load().catch(() => {})
  }, [isOffline.value])

  const postAction = (action: 'verify' | 'enable') =>
    run(async () => {
      setHook(await request<Webhook>(webhookPaths[action], { method: 'POST' }))
      setToken(null)
      announce(systemStrings.isVerified)
    })
  const test = () =>
    run(async () => {
      const answer = await request<{ status: number | null; error?: string }>(webhookPaths.test, {
        method: 'POST',
      })
      const { status = null, error = '' } = answer ?? {}
      showToast({
        text:
          status === null
            ? systemStrings.testFailed(translate(error))
            : systemStrings.testAnswered(status),
      })
      await load()
    })
  const remove = () =>
    run(async () => {
      await request(webhookPaths.state, { method: 'DELETE' })
      setToken(null)
      await load()
      showToast({ text: systemStrings.isDeleted })
    })

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
          <ProblemText text={problem} />
          <div class="row">
            {hook.state === 'pending' && (
              <ActionButton
                text={systemStrings.verify}
                isBusy={isBusy}
                isMain
                onClick={() => postAction('verify')}
              />
            )}
            {hook.state === 'disabled' && (
              <ActionButton
                text={systemStrings.resume}
                isBusy={isBusy}
                isMain
                onClick={() => postAction('enable')}
              />
            )}
            {hook.state !== 'none' && (
              <>
                <ActionButton text={systemStrings.sendTest} isBusy={isBusy} onClick={test} />
                <button
                  type="button"
                  class="danger"
                  aria-disabled={isOffline.value}
                  onClick={() => run(() => setRemoving(true))}
                >
                  {strings.delete}
                </button>
              </>
            )}
          </div>
          {hook.state === 'none' && (
            <Registration
              onRegistered={async (created) => {
                setToken(created)
                await load()
              }}
            />
          )}
          {hook.state !== 'none' && <Deliveries all={hook.deliveries} />}
        </>
      )}
      {isRemoving && (
        <ConfirmSheet
          heading={systemStrings.deleteAsk}
          effect={systemStrings.deleteEffect}
          action={strings.delete}
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        />
      )}
    </section>
  )
}

interface RegistrationProps {
  /** The token signs deliveries. */
  onRegistered: (token: string | null) => Promise<void>
}

/** Form for the address of the webhook. */
function Registration({ onRegistered }: RegistrationProps) {
  const form = useFormState({
    id: 'webhook',
    base: { url: '' },
    values: { url: typed.value },
    put(_, value) {
      typed.value = String(value)
    },
    check: findAddressProblem,
    async save() {
      const body = { url: typed.value.trim() }
      const created = await request<{ token: string }>(webhookPaths.state, { method: 'PUT', body })
      typed.value = ''
      await onRegistered(created?.token ?? null)
    },
    locate(cause) {
      const [first] = cause instanceof ApiError ? (cause.problems.url ?? []) : []
      return first ? { url: translate(problemMessage(first)) } : {}
    },
  })
  return (
    <Form onSubmit={form.onSubmit}>
      <TextField
        {...form.field('url')}
        label={systemStrings.address}
        input={{
          type: 'url',
          dir: 'ltr',
          inputMode: 'url',
          placeholder: 'https://',
          maxLength: table.fields.webhook_url.max ?? -1,
        }}
      />
      <ProblemText text={form.problem} />
      <button type="submit" aria-disabled={isOffline.value} aria-busy={form.isBusy}>
        {systemStrings.addWebhook}
      </button>
    </Form>
  )
}

function findAddressProblem(): FieldTexts {
  const url = table.fields.webhook_url.parse(typed.value.trim())
  if (url instanceof Problem) return { url: problemMessage(url) }
  return url === null ? { url: systemStrings.noAddress } : {}
}

interface ActionButtonProps {
  text: string
  isBusy: boolean
  isMain?: boolean
  onClick: () => void
}

function ActionButton({ text, isBusy, isMain = false, onClick }: ActionButtonProps) {
  return (
    <button
      type="button"
      class={isMain ? 'main' : ''}
      aria-disabled={isOffline.value}
      aria-busy={isBusy}
      onClick={onClick}
    >
      {text}
    </button>
  )
}

/** Translates a message of the server, because problems and reasons under `/v2` have no code. */
function translate(message: string): string {
  return problemMessage({ message, ...parseCoded(webhookMessages, message) })
}

function describeState({ state, reason, failing_since, dropped }: Webhook): string {
  const since = parseInstant(failing_since ?? '')
  return [
    reason === null ? systemStrings.states[state] : systemStrings.stopped(translate(reason)),
    since === null ? '' : systemStrings.failingSince(formatAgo(now.value - since)),
    dropped === 0 ? '' : systemStrings.expired(dropped),
  ]
    .filter(Boolean)
    .join(' ')
}
