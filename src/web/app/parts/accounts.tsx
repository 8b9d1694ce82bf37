import { useEffect, useState } from 'preact/hooks'
import { bareId, platformOf } from '../../../model/platform'
import { parseInstant } from '../../../model/time'
import { ask, askOwn, explainRefusal, Refused } from '../client'
import { spell } from '../look'
import { accountNews, isAway, type System, system } from '../store'
import { words } from '../words'
import { systemWords } from '../words/system'
import { CopyField } from './copyField'
import { TokenField } from './tokenField'

interface Account {
  readonly id: string
}

interface Code {
  readonly code: string
  readonly expires: string
}

/** Which accounts speak for the system, and how one more comes to it. */
export function AccountsCard() {
  const [accounts, setAccounts] = useState<readonly Account[]>([])
  useEffect(() => {
    if (isAway.value) return
    askOwn<Account[]>('v2/systems/@me/accounts').then(
      (found) => setAccounts(found ?? []),
      () => {},
    )
  }, [isAway.value, accountNews.value])
  return (
    <section class="card" aria-labelledby="accounts">
      <h2 id="accounts">{systemWords.accounts}</h2>
      <p class="quiet">
        {accounts.length === 0 ? systemWords.noAccounts : systemWords.accountsMore}
      </p>
      <ul class="things">
        {accounts.map(({ id }) => (
          <li key={id}>
            <div class="about">
              <bdi class="name">{bareId(id)}</bdi>{' '}
              <span class="quiet small">{systemWords.platformOf(platformOf(id))}</span>
            </div>
          </li>
        ))}
      </ul>
      <LinkAccount />
    </section>
  )
}

/** A code is made with a token alone: a browser that is logged in may not. */
function LinkAccount() {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState('')
  const [made, setMade] = useState<Code | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isAway.value || isBusy) return
    if (token.trim() === '') return setProblem(words.noToken)
    setProblem('')
    setBusy(true)
    try {
      setMade(await makeCode(token.trim()))
      setToken('')
    } catch (cause) {
      setProblem(explain(cause))
    }
    setBusy(false)
  }
  return (
    <form onSubmit={submit} noValidate>
      <h3>{systemWords.link}</h3>
      <p class="quiet">{systemWords.linkMore}</p>
      {made && (
        <CopyField
          label={systemWords.code}
          value={made.code}
          hint={systemWords.codeMore(spell.value.time(parseInstant(made.expires) ?? 0))}
        />
      )}
      <TokenField
        id="link-token"
        autocomplete="off"
        value={token}
        problem={problem}
        onChange={setToken}
      />
      <button type="submit" aria-disabled={isAway.value} aria-busy={isBusy}>
        {systemWords.makeCode}
      </button>
    </form>
  )
}

/** Of another system's token it would link to that one. */
async function makeCode(token: string): Promise<Code | null> {
  const whose = await ask<System>('v2/systems/@me', { token })
  if (whose?.uuid !== system.value?.uuid) throw new ForeignToken()
  return await ask<Code>('v2/systems/@me/link-code', { method: 'POST', token })
}

class ForeignToken extends Error {}

function explain(cause: unknown): string {
  if (cause instanceof ForeignToken) return systemWords.foreignToken
  if (!(cause instanceof Refused)) return words.away
  if (cause.status === 401) return words.wrongToken
  return cause.status === 403 ? systemWords.lesserToken : explainRefusal(cause, words.away)
}
