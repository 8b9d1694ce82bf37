import { useEffect, useState } from 'preact/hooks'
import { bareId, platformOf } from '../../../model/core/platform'
import { parseInstant } from '../../../model/core/time'
import { ApiError, errorMessage, request, requestOnce } from '../../api/client'
import { systemPath } from '../../api/paths'
import { accountsPath, linkCodePath } from '../../api/resources'
import { formatter } from '../../core/appearance'
import { isOffline, system, versionOf } from '../../core/store'
import { strings, systemStrings } from '../../texts/texts'
import { CopyField } from '../../ui/copyField'
import { useLocalForm } from '../../ui/form/formState'
import { Form } from '../../ui/form/textField'
import { ProblemText } from '../../ui/problemText'
import { TokenField } from '../access/tokenField'

interface Account {
  readonly id: string
}

interface Code {
  readonly code: string
  readonly expires: string
}

/** Linked accounts, and the form to link another one. */
export function AccountsCard() {
  const [accounts, setAccounts] = useState<readonly Account[]>([])
  useEffect(() => {
    if (isOffline.value) return
    request(accountsPath).then(
      (loaded) => setAccounts(loaded ?? []),
      () => {},
    )
  }, [isOffline.value, versionOf('accounts')])
  return (
    <section class="card" aria-labelledby="accounts">
      <h2 id="accounts">{systemStrings.accounts}</h2>
      <p class="quiet">
        {accounts.length === 0 ? systemStrings.noAccounts : systemStrings.accountsMore}
      </p>
      <ul class="things">
        {accounts.map(({ id }) => (
          <li key={id}>
            <div class="about">
              <bdi class="name">{bareId(id)}</bdi>{' '}
              <span class="quiet small">{systemStrings.platformOf(platformOf(id))}</span>
            </div>
          </li>
        ))}
      </ul>
      <LinkAccount />
    </section>
  )
}

/** Link codes need a token; a browser session may not create one. */
function LinkAccount() {
  const [linkCode, setLinkCode] = useState<Code | null>(null)
  const form = useLocalForm({
    id: 'link',
    values: { token: '' },
    check: ({ token }) => (token.trim() === '' ? { token: strings.noToken } : {}),
    async save({ token }) {
      setLinkCode(await createLinkCode(token.trim()))
      form.change('token', '')
    },
    locate: (cause) => ({ token: explain(cause) }),
  })
  return (
    <Form onSubmit={form.onSubmit}>
      <h3>{systemStrings.link}</h3>
      <p class="quiet">{systemStrings.linkMore}</p>
      {linkCode && (
        <CopyField
          label={systemStrings.code}
          value={linkCode.code}
          hint={systemStrings.codeMore(formatter.value.time(parseInstant(linkCode.expires) ?? 0))}
        />
      )}
      <TokenField {...form.field('token')} autocomplete="off" />
      <ProblemText text={form.problem} />
      <button type="submit" aria-disabled={isOffline.value} aria-busy={form.isBusy}>
        {systemStrings.getCode}
      </button>
    </Form>
  )
}

/** Rejects the token of another system, because the account would be linked to that system. */
async function createLinkCode(token: string): Promise<Code | null> {
  const owner = await requestOnce(systemPath, { token })
  if (owner?.uuid !== system.value?.uuid) throw new ForeignToken()
  return await requestOnce<Code>(linkCodePath, { method: 'POST', token })
}

class ForeignToken extends Error {}

function explain(cause: unknown): string {
  if (cause instanceof ForeignToken) return systemStrings.foreignToken
  const status = cause instanceof ApiError ? cause.status : null
  if (status === 401) return strings.wrongToken
  return status === 403 ? systemStrings.limitedToken : errorMessage(cause)
}
