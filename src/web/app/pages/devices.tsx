import { useEffect, useState } from 'preact/hooks'
import { parseInstant } from '../../../model/time'
import { showToast } from '../actions'
import { requestOwn } from '../api'
import { formatter } from '../appearance'
import { now } from '../clock'
import { Page, Skeleton } from '../components/page'
import { Sheet } from '../components/sheet'
import { clearSession } from '../session'
import { isOffline } from '../store'
import { strings } from '../strings'
import { formatAgo } from '../time'
import { useAction } from '../useAction'

interface Device {
  id: string
  name: string
  created: string
  last_used: string
  this: boolean
}

interface Token {
  name: string
  scope: string
  created: string
  last_used: string | null
  expires: string | null
}

/** Logged-in browsers and tokens. */
export function Devices() {
  const [devices, setDevices] = useState<readonly Device[] | null>(null)
  const [tokens, setTokens] = useState<readonly Token[]>([])
  const [revoking, setRevoking] = useState<string | null>(null)
  const { run, problem } = useAction()

  const load = async () => {
    const [found, keys] = await Promise.all([
      requestOwn<Device[]>('web/sessions'),
      requestOwn<Token[]>('v2/systems/@me/tokens'),
    ])
    setDevices(found ?? [])
    setTokens(keys ?? [])
  }
  useEffect(() => {
    if (!isOffline.value) run(load)
  }, [isOffline.value])

  const end = (device: Device) =>
    run(async () => {
      await requestOwn(`web/sessions/${device.id}`, { method: 'DELETE' })
      if (device.this) return clearSession()
      showToast({ text: strings.isEnded(device.name) })
      await load()
    })
  const endAll = () =>
    run(async () => {
      await requestOwn('web/sessions', { method: 'DELETE' })
      clearSession()
    })
  const revoke = (name: string) => {
    setRevoking(null)
    run(async () => {
      await requestOwn(`v2/systems/@me/tokens/${encodeURIComponent(name)}`, { method: 'DELETE' })
      showToast({ text: strings.isRevoked(name) })
      await load()
    })
  }

  return (
    <Page title={strings.devices}>
      <p class="problem" role="alert">
        {problem}
      </p>
      {devices === null ? (
        <Skeleton blocks={['rows']} />
      ) : (
        <>
          <section class="card">
            <h2>{strings.browsers}</h2>
            <ul class="things">
              {devices.map((device) => (
                <li key={device.id}>
                  <div class="about">
                    <span class="name">{device.name}</span>
                    {device.this && <span class="quiet"> · {strings.thisOne}</span>}
                    <div class="quiet small">
                      {strings.madeOn(day(device.created))} ·{' '}
                      {strings.lastUsed(ago(device.last_used))}
                    </div>
                  </div>
                  <button
                    type="button"
                    aria-label={strings.endNamed(device.name)}
                    aria-disabled={isOffline.value}
                    onClick={() => end(device)}
                  >
                    {strings.end}
                  </button>
                </li>
              ))}
            </ul>
            <p class="quiet">{strings.logOutEverywhereMore}</p>
            <button type="button" aria-disabled={isOffline.value} onClick={endAll}>
              {strings.logOutEverywhere}
            </button>
          </section>
          <section class="card">
            <h2>{strings.tokens}</h2>
            <p class="quiet">{tokens.length === 0 ? strings.noTokens : strings.tokensMore}</p>
            <ul class="things">
              {tokens.map((token) => (
                <li key={token.name}>
                  <div class="about">
                    <span class="name">{token.name}</span>
                    <div class="quiet small">{describeToken(token)}</div>
                  </div>
                  <button
                    type="button"
                    class="danger"
                    aria-label={strings.revokeNamed(token.name)}
                    aria-disabled={isOffline.value}
                    onClick={() => run(() => setRevoking(token.name))}
                  >
                    {strings.revoke}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        </>
      )}
      {revoking !== null && (
        <Sheet heading={strings.revokeAsk(revoking)} onClose={() => setRevoking(null)}>
          <p>{strings.revokeEffect}</p>
          <button type="button" class="danger" onClick={() => revoke(revoking)}>
            {strings.revoke}
          </button>
          <button type="button" onClick={() => setRevoking(null)}>
            {strings.cancel}
          </button>
        </Sheet>
      )}
    </Page>
  )
}

function describeToken({ scope, last_used, expires }: Token): string {
  return [
    strings.scopes[scope] ?? scope,
    last_used === null ? strings.neverUsed : strings.lastUsed(ago(last_used)),
    expires === null ? null : strings.runsOut(day(expires)),
  ]
    .filter(Boolean)
    .join(' · ')
}

function ago(time: string): string {
  return formatAgo(now.value - (parseInstant(time) ?? now.value))
}

function day(time: string): string {
  return formatter.value.day(parseInstant(time) ?? now.value)
}
