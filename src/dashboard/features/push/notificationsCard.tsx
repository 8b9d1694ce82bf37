import { useEffect, useRef, useState } from 'preact/hooks'
import type { PushKind } from '../../../model/push/pushTarget'
import { ApiError, errorMessage } from '../../api/client'
import { isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { pushStrings } from '../../texts/texts'
import { CheckField } from '../../ui/checkField'
import { ProblemText } from '../../ui/problemText'
import {
  createPushClient,
  findSupport,
  loadPushStatus,
  ownKinds,
  type PushStatus,
  type PushTarget,
  turnOffPush,
  turnOnPush,
} from './pushSubscription'

interface Props {
  /** Token of a friend's link; without it the card is about the logged-in system. */
  token?: string
  /** Called before permission is asked. */
  onTurnOn?: () => void
  /** Shows the card only if notifications were off when the page was opened. */
  isOffer?: boolean
}

/** Kinds that are on at first. The lasting sign of who is fronting is for those who want it. */
const FIRST_KINDS: readonly PushKind[] = ['reminders', 'posts', 'friends']
const WATCH_KINDS: readonly PushKind[] = ['front']

/** Card that turns push notifications of this browser on and off. */
export function Notifications({ token, onTurnOn, isOffer = false }: Props) {
  const [client] = useState(() => createPushClient(token))
  const [status, setStatus] = useState<PushStatus | null>(null)
  const wasOffered = useRef(false)
  /** Result of the last action. */
  const [note, setNote] = useState('')
  const { run, problem, isBusy } = useAction({ explain: explainProblem, canOverlap: true })
  const isWatching = token !== undefined

  const load = async () => setStatus(await loadPushStatus(client))
  useEffect(() => {
    if (!isOffline.value) run(load)
  }, [isOffline.value])

  const turnOn = async (key: string, showsNames: boolean) => {
    onTurnOn?.()
    await turnOnPush(client, key, isWatching ? WATCH_KINDS : FIRST_KINDS, showsNames)
    await load()
  }
  const turnOff = async (target: PushTarget) => {
    await turnOffPush(client, target)
    await load()
  }
  const show = (target: PushTarget) => setStatus((before) => before && { ...before, target })
  /** Shows the change at once; if it cannot be saved, the former state is shown again. */
  const change = async (target: PushTarget, patch: Partial<PushTarget>) => {
    show({ ...target, ...patch })
    try {
      await client.send<PushTarget>(`/${target.id}`, 'PATCH', patch)
    } catch (cause) {
      show(target)
      throw cause
    }
  }
  const sendTest = async ({ id }: PushTarget) => {
    const answer = await client.send<{ status: number | null }>(`/${id}/test`, 'POST')
    const accepted = answer?.status ?? 0
    if (accepted < 200 || accepted > 202) throw new TestProblem()
    setNote(pushStrings.isTestSent)
  }
  const act = (action: () => Promise<void>) => {
    setNote('')
    run(action)
  }

  if (status && status.key !== null && !status.target) wasOffered.current = true
  if (isOffer && !wasOffered.current) return null
  const isLoading = status === null && problem === '' && !isOffline.value
  return (
    <section class="card" aria-labelledby="notifications" aria-busy={isLoading || undefined}>
      <h2 id="notifications">{pushStrings.heading}</h2>
      {status && (
        <Content
          status={status}
          isWatching={isWatching}
          isBusy={isBusy}
          onTurnOn={(key, showsNames) => act(() => turnOn(key, showsNames))}
          onTurnOff={(target) => act(() => turnOff(target))}
          onChange={(target, patch) => act(() => change(target, patch))}
          onTest={(target) => act(() => sendTest(target))}
        />
      )}
      <p role="status">{note}</p>
      <ProblemText text={problem} />
    </section>
  )
}

interface ContentProps {
  status: PushStatus
  isWatching: boolean
  isBusy: boolean
  onTurnOn: (key: string, showsNames: boolean) => void
  onTurnOff: (target: PushTarget) => void
  onChange: (target: PushTarget, patch: Partial<PushTarget>) => void
  onTest: (target: PushTarget) => void
}

function Content({ status, isWatching, isBusy, ...on }: ContentProps) {
  const { support, key, target } = status
  /** Choice for a browser that is not registered yet. */
  const [showsNames, setShowsNames] = useState(false)
  if (key === null) return <p class="quiet">{pushStrings.isOffHere}</p>
  if (support !== 'ready') return <p>{pushStrings.support[support]}</p>
  if (!target)
    return (
      <>
        <p class="quiet">{isWatching ? pushStrings.offerToWatch : pushStrings.offer}</p>
        <NamesField value={showsNames} onChange={setShowsNames} />
        <div>
          <button
            type="button"
            aria-disabled={isOffline.value}
            aria-busy={isBusy || undefined}
            onClick={() => on.onTurnOn(key, showsNames)}
          >
            {pushStrings.turnOn}
          </button>
        </div>
      </>
    )
  const toggle = (kind: PushKind, isOn: boolean) => {
    const others = target.wants.filter((other) => other !== kind)
    on.onChange(target, { wants: isOn ? [...others, kind] : others })
  }
  return (
    <>
      {!isWatching &&
        ownKinds.map((kind) => (
          <CheckField
            key={kind}
            id={`push-${kind}`}
            isSwitch
            label={pushStrings.kinds[kind].label}
            hint={pushStrings.kinds[kind].hint}
            value={target.wants.includes(kind)}
            onChange={(isOn) => toggle(kind, isOn)}
          />
        ))}
      <NamesField
        value={target.shows_names}
        onChange={(shows_names) => on.onChange(target, { shows_names })}
      />
      <div class="row">
        <button
          type="button"
          aria-disabled={isOffline.value}
          aria-busy={isBusy || undefined}
          onClick={() => on.onTest(target)}
        >
          {pushStrings.sendTest}
        </button>
        <button type="button" aria-disabled={isOffline.value} onClick={() => on.onTurnOff(target)}>
          {pushStrings.turnOff}
        </button>
      </div>
    </>
  )
}

interface NamesProps {
  value: boolean
  onChange: (value: boolean) => void
}

/** Choice whether notifications show names, which anyone who sees the screen can read. */
function NamesField({ value, onChange }: NamesProps) {
  return (
    <CheckField
      id="push-names"
      isSwitch
      label={pushStrings.names}
      hint={pushStrings.namesMore}
      value={value}
      onChange={onChange}
    />
  )
}

/** The push service did not take the test message. */
class TestProblem extends Error {}

/** Describes what went wrong. Errors that are not the server's come from the browser. */
function explainProblem(cause: unknown): string {
  if (cause instanceof TestProblem) return pushStrings.testFailed
  if (cause instanceof ApiError || cause instanceof TypeError) return errorMessage(cause)
  return findSupport() === 'denied' ? pushStrings.support.denied : pushStrings.cannotTurnOn
}
