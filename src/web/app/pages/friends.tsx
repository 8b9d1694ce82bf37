import { useEffect, useState } from 'preact/hooks'
import { parseInstant } from '../../../model/time'
import { say, tell } from '../acts'
import { askOwn, explainRefusal } from '../client'
import { spell } from '../look'
import { CopyField } from '../parts/copyField'
import { LinkForm, type MadeLink } from '../parts/linkForm'
import { Page, Waiting } from '../parts/page'
import { Sheet } from '../parts/sheet'
import { isAway, preferences } from '../store'
import { now } from '../ticking'
import { spellAgo } from '../time'
import { words } from '../words'
import { friendWords } from '../words/friends'

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
    if (isAway.value) return
    await act().catch((cause) => setProblem(explainRefusal(cause, words.away)))
  }
  const load = async () => {
    const tokens = (await askOwn<FriendLink[]>(PATH)) ?? []
    setLinks(tokens.filter(({ scope }) => scope === 'watch'))
  }
  // Also when the server is back.
  useEffect(() => {
    attempt(load)
  }, [isAway.value])

  const take = (link: MadeLink) => {
    setMade(link)
    say(friendWords.isMade(link.name))
    attempt(load)
  }
  const end = (name: string) =>
    attempt(async () => {
      setEnding(null)
      await askOwn(`${PATH}/${encodeURIComponent(name)}`, { method: 'DELETE' })
      if (made?.name === name) setMade(null)
      tell({ text: friendWords.isOver(name) })
      await load()
    })

  return (
    <Page place={words.friends}>
      <p class="quiet">{friendWords.about}</p>
      {made && (
        <section class="card">
          <h2>{friendWords.linkFor(made.name)}</h2>
          <CopyField
            label={friendWords.link}
            value={addressOf(made.token)}
            hint={friendWords.shownOnce}
          />
        </section>
      )}
      <LinkForm onMade={take} />
      <p class="problem" role="alert">
        {problem}
      </p>
      {links === null ? (
        <Waiting blocks={['card']} />
      ) : (
        <section class="card">
          <h2>{friendWords.links}</h2>
          {links.length === 0 && <p class="quiet">{friendWords.noLinks}</p>}
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
                  aria-label={words.endNamed(link.name)}
                  aria-disabled={isAway.value}
                  onClick={() => isAway.value || setEnding(link.name)}
                >
                  {words.end}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {ending !== null && (
        <Sheet heading={friendWords.endAsk(ending)} onClose={() => setEnding(null)}>
          <p>{friendWords.endEffect}</p>
          <button type="button" class="danger" onClick={() => end(ending)}>
            {words.end}
          </button>
          <button type="button" onClick={() => setEnding(null)}>
            {words.cancel}
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
  const ago = (time: string) => spellAgo(now.value - (parseInstant(time) ?? now.value))
  return [
    private_members ? friendWords.isNamed(word) : friendWords.isCounted(word),
    expires === null
      ? friendWords.never
      : words.runsOut(spell.value.date(parseInstant(expires) ?? now.value)),
    last_used === null ? words.neverUsed : words.lastUsed(ago(last_used)),
  ].join(' · ')
}
