import { useEffect, useState } from 'preact/hooks'
import { parseInstant } from '../../../model/time'
import { say, toast } from '../acts'
import { askOwn, explainRefusal } from '../client'
import { leaveHome } from '../home'
import { spell } from '../look'
import { Page, Waiting } from '../parts/page'
import { Sheet } from '../parts/sheet'
import { isAway } from '../store'
import { now } from '../ticking'
import { spellAgo } from '../time'
import { words } from '../words'

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

/** Who may come in: browsers that are logged in, and tokens. */
export function Devices() {
  const [devices, setDevices] = useState<readonly Device[] | null>(null)
  const [tokens, setTokens] = useState<readonly Token[]>([])
  const [revoking, setRevoking] = useState<string | null>(null)
  const [problem, setProblem] = useState('')

  const load = async () => {
    const [found, keys] = await Promise.all([
      askOwn<Device[]>('web/sessions'),
      askOwn<Token[]>('v2/systems/@me/tokens'),
    ])
    setDevices(found ?? [])
    setTokens(keys ?? [])
  }
  const attempt = async (act: () => Promise<void>) => {
    setProblem('')
    if (isAway.value) return setProblem(words.notConnected)
    await act().catch((cause) => setProblem(explainRefusal(cause, words.away)))
  }
  useEffect(() => {
    attempt(load)
  }, [])

  const end = (device: Device) =>
    attempt(async () => {
      await askOwn(`web/sessions/${device.id}`, { method: 'DELETE' })
      if (device.this) return leaveHome()
      tell(words.isEnded(device.name))
      await load()
    })
  const endAll = () =>
    attempt(async () => {
      await askOwn('web/sessions', { method: 'DELETE' })
      leaveHome()
    })
  const revoke = (name: string) =>
    attempt(async () => {
      setRevoking(null)
      await askOwn(`v2/systems/@me/tokens/${encodeURIComponent(name)}`, { method: 'DELETE' })
      tell(words.isRevoked(name))
      await load()
    })

  return (
    <Page place={words.devices}>
      <p class="problem" role="alert">
        {problem}
      </p>
      {devices === null ? (
        <Waiting blocks={['rows']} />
      ) : (
        <>
          <section class="card">
            <h2>{words.browsers}</h2>
            <ul class="things">
              {devices.map((device) => (
                <li key={device.id}>
                  <div class="about">
                    <span class="name">{device.name}</span>
                    {device.this && <span class="quiet"> · {words.thisOne}</span>}
                    <div class="quiet small">
                      {words.madeOn(day(device.created))} · {words.lastUsed(ago(device.last_used))}
                    </div>
                  </div>
                  <button
                    type="button"
                    aria-label={words.endNamed(device.name)}
                    aria-disabled={isAway.value}
                    onClick={() => end(device)}
                  >
                    {words.end}
                  </button>
                </li>
              ))}
            </ul>
            <p class="quiet">{words.logOutEverywhereMore}</p>
            <button type="button" aria-disabled={isAway.value} onClick={endAll}>
              {words.logOutEverywhere}
            </button>
          </section>
          <section class="card">
            <h2>{words.tokens}</h2>
            <p class="quiet">{tokens.length === 0 ? words.noTokens : words.tokensMore}</p>
            <ul class="things">
              {tokens.map((token) => (
                <li key={token.name}>
                  <div class="about">
                    <span class="name">{token.name}</span>
                    <div class="quiet small">{tellToken(token)}</div>
                  </div>
                  <button
                    type="button"
                    class="danger"
                    aria-label={words.revokeNamed(token.name)}
                    aria-disabled={isAway.value}
                    onClick={() => setRevoking(token.name)}
                  >
                    {words.revoke}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        </>
      )}
      {revoking !== null && (
        <Sheet heading={words.revokeAsk(revoking)} onClose={() => setRevoking(null)}>
          <p>{words.revokeEffect}</p>
          <button type="button" class="danger" onClick={() => revoke(revoking)}>
            {words.revoke}
          </button>
          <button type="button" onClick={() => setRevoking(null)}>
            {words.cancel}
          </button>
        </Sheet>
      )}
    </Page>
  )
}

function tell(text: string): void {
  toast.value = { text }
  say(text)
}

function tellToken({ scope, last_used, expires }: Token): string {
  return [
    words.scopes[scope] ?? scope,
    last_used === null ? words.neverUsed : words.lastUsed(ago(last_used)),
    expires === null ? null : words.runsOut(day(expires)),
  ]
    .filter(Boolean)
    .join(' · ')
}

function ago(time: string): string {
  return spellAgo(now.value - (parseInstant(time) ?? now.value))
}

function day(time: string): string {
  return spell.value.day(parseInstant(time) ?? now.value)
}
