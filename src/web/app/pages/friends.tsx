import { useEffect, useState } from 'preact/hooks'
import { parseInstant } from '../../../model/time'
import { announce, showToast } from '../actions'
import { errorMessage, requestOwn } from '../api'
import { formatter } from '../appearance'
import { now } from '../clock'
import { CopyField } from '../components/copyField'
import { LinkForm, type MadeLink } from '../components/linkForm'
import { Page, Skeleton } from '../components/page'
import { Sheet } from '../components/sheet'
import { isOffline, preferences } from '../store'
import { strings } from '../strings'
import { friendStrings } from '../strings/friends'
import { formatAgo } from '../time'

interface FriendLink {
  readonly name: string
  readonly scope: string
  readonly last_used: string | null
  readonly expires: string | null
  readonly private_members?: boolean
}

const PATH = 'v2/systems/@me/tokens'

/** Links that show who is here, and nothing else: made, copied, ended. */
export function Friends() {
  const [links, setLinks] = useState<readonly FriendLink[] | null>(null)
  const [made, setMade] = useState<MadeLink | null>(null)
  const [ending, setEnding] = useState<string | null>(null)
  const [problem, setProblem] = useState('')

  const attempt = async (act: () => Promise<void>) => {
    setProblem('')
    if (isOffline.value) return
    await act().catch((cause) => setProblem(errorMessage(cause, strings.away)))
  }
  const load = async () => {
    const tokens = (await requestOwn<FriendLink[]>(PATH)) ?? []
    setLinks(tokens.filter(({ scope }) => scope === 'watch'))
  }
  // Also when the server is back.
  useEffect(() => {
    attempt(load)
  }, [isOffline.value])

  const take = (link: MadeLink) => {
    setMade(link)
    announce(friendStrings.isMade(link.name))
    attempt(load)
  }
  const end = (name: string) =>
    attempt(async () => {
      setEnding(null)
      await requestOwn(`${PATH}/${encodeURIComponent(name)}`, { method: 'DELETE' })
      if (made?.name === name) setMade(null)
      showToast({ text: friendStrings.isOver(name) })
      await load()
    })

  return (
    <Page place={strings.friends}>
      <p class="quiet">{friendStrings.about}</p>
      {made && (
        <section class="card">
          <h2>{friendStrings.linkFor(made.name)}</h2>
          <CopyField
            label={friendStrings.link}
            value={addressOf(made.token)}
            hint={friendStrings.shownOnce}
          />
        </section>
      )}
      <LinkForm onMade={take} />
      <p class="problem" role="alert">
        {problem}
      </p>
      {links === null ? (
        <Skeleton blocks={['card']} />
      ) : (
        <section class="card">
          <h2>{friendStrings.links}</h2>
          {links.length === 0 && <p class="quiet">{friendStrings.noLinks}</p>}
          <ul class="things">
            {links.map((link) => (
              <li key={link.name}>
                <div class="about">
                  <span class="name">{link.name}</span>
                  <div class="quiet small">{describeLink(link)}</div>
                </div>
                <button
                  type="button"
                  class="danger"
                  aria-label={strings.endNamed(link.name)}
                  aria-disabled={isOffline.value}
                  onClick={() => isOffline.value || setEnding(link.name)}
                >
                  {strings.end}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {ending !== null && (
        <Sheet heading={friendStrings.endAsk(ending)} onClose={() => setEnding(null)}>
          <p>{friendStrings.endEffect}</p>
          <button type="button" class="danger" onClick={() => end(ending)}>
            {strings.end}
          </button>
          <button type="button" onClick={() => setEnding(null)}>
            {strings.cancel}
          </button>
        </Sheet>
      )}
    </Page>
  )
}

/** Behind the `#`, so that the token stands in no path that a server would log. */
function addressOf(token: string): string {
  const [page = ''] = location.href.split('#')
  return `${page}#/watch/${encodeURIComponent(token)}`
}

function describeLink({ private_members, expires, last_used }: FriendLink): string {
  const { word } = preferences.value
  const ago = (time: string) => formatAgo(now.value - (parseInstant(time) ?? now.value))
  return [
    private_members ? friendStrings.isNamed(word) : friendStrings.isCounted(word),
    expires === null
      ? friendStrings.never
      : strings.runsOut(formatter.value.date(parseInstant(expires) ?? now.value)),
    last_used === null ? strings.neverUsed : strings.lastUsed(ago(last_used)),
  ].join(' · ')
}
