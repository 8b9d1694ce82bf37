import { useEffect, useState } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import { request } from '../../api/client'
import { api } from '../../api/resources'
import { announce, showToast } from '../../core/actions'
import { formatter } from '../../core/appearance'
import { isOffline, memberWord } from '../../core/store'
import { useAction } from '../../core/useAction'
import { now } from '../../lib/clock'
import { formatAgo } from '../../lib/time'
import { friendStrings, moreStrings } from '../../texts/texts'
import { CopyField } from '../../ui/copyField'
import { LoadProblem } from '../../ui/loadProblem'
import { Skeleton } from '../../ui/page'
import { ProblemText } from '../../ui/problemText'
import { RowList } from '../../ui/rowList'
import { type CreatedLink, LinkForm } from './linkForm'

interface FriendLink {
  readonly name: string
  readonly scope: string
  readonly last_used: string | null
  readonly expires: string | null
  readonly private_members?: boolean
}

/** Creates, lists and revokes links that show the current fronters and nothing else. */
export function Links() {
  const [links, setLinks] = useState<readonly FriendLink[] | null>(null)
  const [created, setCreated] = useState<CreatedLink | null>(null)
  const { run, problem } = useAction({ canOverlap: true })

  const load = async () => {
    const tokens = (await request(api.tokens.list)) ?? []
    setLinks(tokens.filter(({ scope }) => scope === 'watch'))
  }
  useEffect(() => {
    if (!isOffline.value) run(load)
  }, [isOffline.value])

  const showCreated = (link: CreatedLink) => {
    setCreated(link)
    announce(friendStrings.isCreated)
    run(load)
  }
  const revoke = async ({ name }: FriendLink) => {
    await api.tokens.remove(name)
    if (created?.name === name) setCreated(null)
    showToast({ text: friendStrings.isOff(name) })
    await load()
  }

  return (
    <section class="part" aria-labelledby="links">
      <h2 id="links">{friendStrings.heading}</h2>
      <p class="quiet">{friendStrings.about}</p>
      {created && (
        <section class="card">
          <h3>{friendStrings.linkFor(created.name)}</h3>
          <CopyField
            label={friendStrings.link}
            value={linkUrl(created.token)}
            hint={friendStrings.shownOnce}
          />
        </section>
      )}
      <LinkForm onCreated={showCreated} />
      {links && <ProblemText text={problem} />}
      {links === null ? (
        problem === '' ? (
          <Skeleton blocks={['card']} />
        ) : (
          <LoadProblem text={problem} onRetry={() => run(load)} />
        )
      ) : (
        <section class="card">
          <h3>{friendStrings.links}</h3>
          {links.length === 0 && <p class="quiet">{friendStrings.noLinks}</p>}
          <RowList
            rows={links}
            describe={describeLink}
            action={friendStrings.turnOff}
            label={friendStrings.turnOffNamed}
            onAction={revoke}
            confirm={[friendStrings.turnOffAsk, friendStrings.turnOffEffect]}
          />
        </section>
      )}
    </section>
  )
}

/** Puts the token into the fragment, so that no server logs it as part of a path. */
function linkUrl(token: string): string {
  const [page = ''] = location.href.split('#')
  return `${page}#/watch/${encodeURIComponent(token)}`
}

function describeLink({ private_members, expires, last_used }: FriendLink): string {
  const word = memberWord.value
  const ago = (time: string) => formatAgo(now.value - (parseInstant(time) ?? now.value))
  return [
    private_members ? friendStrings.showsNames(word) : friendStrings.showsCount(word),
    expires === null
      ? friendStrings.never
      : moreStrings.until(formatter.value.date(parseInstant(expires) ?? now.value)),
    last_used === null ? moreStrings.neverUsed : moreStrings.lastUsed(ago(last_used)),
  ].join(' · ')
}
