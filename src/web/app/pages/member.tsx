import { useEffect, useState } from 'preact/hooks'
import { member as table } from '../../../model/member'
import { DAY } from '../../../model/time'
import { logSwitch, tell } from '../acts'
import { explainRefusal } from '../client'
import { seeAsStranger } from '../lens'
import { Days } from '../parts/days'
import { tint } from '../parts/face'
import { Icon } from '../parts/icon'
import { type Eyes, Lens } from '../parts/lens'
import { Markdown } from '../parts/markdown'
import { MemberFacts } from '../parts/memberFacts'
import { NotThere } from '../parts/notThere'
import { Page } from '../parts/page'
import { ProfileHead } from '../parts/profile'
import { route } from '../route'
import { front, isAway, loadBackTo, type Member, members, system, zone } from '../store'
import { isListed } from '../things'
import { now } from '../ticking'
import { daysIn } from '../time'
import { words } from '../words'
import { peopleWords } from '../words/people'

/** Somebody, as we see them or as a stranger does. */
export function MemberPage() {
  const id = 'id' in route.value ? route.value.id.toLowerCase() : ''
  const own = members.value.find((one) => one.id === id || one.uuid === id)
  const [eyes, setEyes] = useState<Eyes>('ours')
  if (!own)
    return (
      <NotThere
        told={peopleWords.nobodyByThatId}
        href="#/members"
        onward={peopleWords.toEveryone}
      />
    )
  const isOurs = eyes === 'ours'
  const seen = isOurs ? own : seeAsStranger(table, own)
  const name = seen.display_name || seen.name
  const seesTimes =
    isOurs || (isListed(own) && system.value?.privacy?.front_history_privacy === 'public')
  return (
    <Page
      place={own.display_name || own.name}
      heading={name}
      around={(heading) => (
        <ProfileHead of={seen} picture={seen.avatar_url}>
          <div class="named">
            {heading}
            {seen.pronouns && <p class="quiet">{seen.pronouns}</p>}
          </div>
          <Acts own={own} />
        </ProfileHead>
      )}
    >
      <Lens eyes={eyes} onChange={setEyes} entity={table} of={own} />
      {!isOurs && !isListed(own) && <p class="note">{peopleWords.unlisted}</p>}
      <div class="sides tinted" style={tint(seen.color)}>
        <div class="part">
          {seen.description ? (
            <Markdown text={seen.description} />
          ) : (
            <p class="quiet">
              {isOurs ? peopleWords.noDescription : peopleWords.strangersSeeNothing}
            </p>
          )}
          {seesTimes ? <LastWeek id={own.id} /> : <p class="quiet">{peopleWords.hiddenTimes}</p>}
        </div>
        <MemberFacts seen={seen} isOurs={isOurs} seesTimes={seesTimes} />
      </div>
    </Page>
  )
}

function Acts({ own }: { own: Member }) {
  const isHere = front.value?.members.includes(own.id) ?? false
  const come = () => {
    if (isAway.value) return
    logSwitch([own.id], null).catch((cause) => tell({ text: explainRefusal(cause, words.away) }))
  }
  const edit = () => {
    location.hash = `#/members/${own.id}/edit`
  }
  return (
    <div class="row">
      {isHere ? (
        <span class="pill">{peopleWords.hereNow}</span>
      ) : (
        <button type="button" class="main" aria-disabled={isAway.value} onClick={come}>
          <Icon name="swap" />
          {words.switchTo(own.display_name || own.name)}
        </button>
      )}
      <button type="button" onClick={edit}>
        <Icon name="edit" />
        {peopleWords.edit}
      </button>
    </div>
  )
}

const WEEK = 7

function LastWeek({ id }: { id: string }) {
  const since = now.value - (WEEK - 1) * DAY
  useEffect(() => {
    loadBackTo(now.value - WEEK * DAY).catch(() => {})
  }, [])
  const days = daysIn(zone.value, { since, until: now.value + 1 }).slice(0, WEEK)
  return (
    <section class="part">
      <h2>{peopleWords.lastWeek}</h2>
      <Days days={days} only={id} />
    </section>
  )
}
