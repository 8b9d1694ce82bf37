import { useEffect, useState } from 'preact/hooks'
import { parseInstant } from '../../model/core/time'
import { request } from '../api/client'
import { sessionPath } from '../api/paths'
import { api } from '../api/resources'
import type { Device, Token } from '../api/types'
import { showToast } from '../core/actions'
import { formatter } from '../core/appearance'
import { isOffline } from '../core/store'
import { useAction } from '../core/useAction'
import { CopySwitch } from '../features/access/copySwitch'
import { AnotherDevice } from '../features/access/loginLinkCard'
import { useLogOut } from '../features/access/useLogOut'
import { NameForm } from '../features/members/createMember'
import { Notifications } from '../features/push/notificationsCard'
import { now } from '../lib/clock'
import { formatAgo } from '../lib/time'
import { findText, moreStrings, strings } from '../texts/texts'
import { LoadProblem } from '../ui/loadProblem'
import { Page, Skeleton } from '../ui/page'
import { ProblemText } from '../ui/problemText'
import { RowList } from '../ui/rowList'
import { Sheet } from '../ui/sheet'

/** Logged-in browsers and tokens. */
export function Devices() {
  const [devices, setDevices] = useState<readonly Device[] | null>(null)
  const [tokens, setTokens] = useState<readonly Token[]>([])
  const [renaming, setRenaming] = useState<Device | null>(null)
  const { run, problem } = useAction()
  const { logOut, question, problem: logOutProblem } = useLogOut()

  const load = async () => {
    const [sessions, keys] = await Promise.all([
      request(api.sessions.list),
      request(api.tokens.list),
    ])
    setDevices(sessions ?? [])
    setTokens(keys ?? [])
  }
  useEffect(() => {
    if (!isOffline.value) run(load)
  }, [isOffline.value])

  const end = async (device: Device) => {
    if (device.this) return await logOut({ path: sessionPath })
    await api.sessions.remove(device.id)
    showToast({ text: moreStrings.isLoggedOut(device.name) })
    await load()
  }
  const rename = async ({ id }: Device, name: string) => {
    await api.sessions.patch(id, { name })
    setRenaming(null)
    showToast({ text: strings.isSaved })
    await load()
  }
  const revoke = async ({ name }: Token) => {
    await api.tokens.remove(name)
    showToast({ text: moreStrings.isRevoked(name) })
    await load()
  }

  return (
    <Page title={strings.devices}>
      {devices && <ProblemText text={problem} />}
      {devices === null ? (
        problem === '' ? (
          <Skeleton blocks={['rows']} />
        ) : (
          <LoadProblem text={problem} onRetry={() => run(load)} />
        )
      ) : (
        <>
          <section class="card">
            <h2>{moreStrings.browsers}</h2>
            <RowList
              rows={devices}
              note={(device) => (device.this ? ` · ${moreStrings.thisBrowser}` : '')}
              describe={({ created, last_used }) =>
                `${moreStrings.since(day(created))} · ${moreStrings.lastUsed(ago(last_used))}`
              }
              more={(device) => (
                <button
                  type="button"
                  aria-label={moreStrings.renameNamed(device.name)}
                  aria-disabled={isOffline.value}
                  onClick={() => run(() => setRenaming(device))}
                >
                  {moreStrings.rename}
                </button>
              )}
              action={strings.logOut}
              label={moreStrings.logOutNamed}
              onAction={end}
            />
            <p class="quiet">{moreStrings.logOutEverywhereMore}</p>
            <ProblemText text={logOutProblem} />
            <button
              type="button"
              aria-disabled={isOffline.value}
              onClick={() => logOut({ path: api.sessions.list, isOfAll: true })}
            >
              {moreStrings.logOutEverywhere}
            </button>
            {question}
          </section>
          <Notifications />
          <CopySwitch />
          <AnotherDevice />
          <section class="card">
            <h2>{moreStrings.tokens}</h2>
            <p class="quiet">
              {tokens.length === 0 ? moreStrings.noTokens : moreStrings.tokensMore}
            </p>
            <RowList
              rows={tokens}
              describe={describeToken}
              action={moreStrings.revoke}
              label={moreStrings.revokeNamed}
              onAction={revoke}
              confirm={[moreStrings.revokeAsk, moreStrings.revokeEffect]}
            />
          </section>
          {renaming && (
            <Sheet
              heading={moreStrings.renameNamed(renaming.name)}
              onClose={() => setRenaming(null)}
            >
              <NameForm
                label={strings.save}
                initial={renaming.name}
                onName={(name) => rename(renaming, name)}
              />
            </Sheet>
          )}
        </>
      )}
    </Page>
  )
}

function describeToken({ scope, last_used, expires }: Token): string {
  return [
    findText(moreStrings.scopes, scope) ?? scope,
    last_used === null ? moreStrings.neverUsed : moreStrings.lastUsed(ago(last_used)),
    expires === null ? null : moreStrings.until(day(expires)),
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
