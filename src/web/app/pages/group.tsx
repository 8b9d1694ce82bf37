import { useState } from 'preact/hooks'
import { group as table } from '../../../model/group'
import { member as memberTable } from '../../../model/member'
import { parseInstant } from '../../../model/time'
import { explainRefusal } from '../client'
import { lastHere } from '../history'
import { seeAsStranger } from '../lens'
import { spell } from '../look'
import { tint } from '../parts/face'
import { Icon } from '../parts/icon'
import { type Eyes, Lens } from '../parts/lens'
import { Markdown } from '../parts/markdown'
import { NotThere } from '../parts/notThere'
import { Page } from '../parts/page'
import { PeopleSheet } from '../parts/peopleSheet'
import { CopyId, Fact, ProfileHead } from '../parts/profile'
import { Someone } from '../parts/someone'
import { useParts } from '../parts/tiles'
import { route } from '../route'
import {
  front,
  type Group,
  groups,
  isAway,
  type Member,
  members,
  preferences,
  savePreferences,
  switches,
} from '../store'
import { isListed } from '../things'
import { countOf, words } from '../words'
import { peopleWords } from '../words/people'

/** A group, as we see it or as a stranger does. */
export function GroupPage() {
  const id = 'id' in route.value ? route.value.id.toLowerCase() : ''
  const own = groups.value.find((one) => one.id === id || one.uuid === id)
  const [eyes, setEyes] = useState<Eyes>('ours')
  const [isChoosing, setChoosing] = useState(false)
  if (!own)
    return (
      <NotThere told={peopleWords.noGroupByThatId} href="#/groups" onward={peopleWords.toGroups} />
    )
  const isOurs = eyes === 'ours'
  const seen = isOurs ? own : seeAsStranger(table, own)
  const made = parseInstant(seen.created ?? '')
  return (
    <Page
      place={own.display_name || own.name}
      heading={seen.display_name || seen.name}
      around={(heading) => (
        <ProfileHead of={seen} picture={seen.icon}>
          <div class="named">{heading}</div>
          <div class="row">
            <button
              type="button"
              class="main"
              aria-disabled={isAway.value}
              onClick={() => isAway.value || setChoosing(true)}
            >
              <Icon name="plus" />
              {peopleWords.choosePeople}
            </button>
            <button
              type="button"
              onClick={() => {
                location.hash = `#/groups/${own.id}/edit`
              }}
            >
              <Icon name="edit" />
              {peopleWords.edit}
            </button>
          </div>
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
          <Inside own={own} isOurs={isOurs} />
        </div>
        <div class="part">
          <dl class="card facts">
            {seen.display_name && seen.display_name !== seen.name && (
              <Fact name={peopleWords.name}>{seen.name}</Fact>
            )}
            {made !== null && <Fact name={peopleWords.madeOn}>{spell.value.date(made)}</Fact>}
            <CopyId id={seen.id} />
          </dl>
          {isOurs && <Statuses own={own} />}
        </div>
      </div>
      {isChoosing && <PeopleSheet own={own} onClose={() => setChoosing(false)} />}
    </Page>
  )
}

/** Who is in it; a stranger gets only those who are listed, and none where the list is closed. */
function Inside({ own, isOurs }: { own: Group; isOurs: boolean }) {
  const uuids = new Set(own.members)
  const all = members.value.filter(({ uuid }) => uuids.has(uuid))
  const isOpen = isOurs || own.privacy?.list_privacy === 'public'
  const seen = isOurs ? all : all.filter(isListed).map((one) => seeAsStranger(memberTable, one))
  return (
    <section class="part">
      <header class="heading">
        <h2>{peopleWords.inIt}</h2>
        {isOpen && <p class="quiet">{countOf(seen.length, preferences.value.word)}</p>}
      </header>
      {!isOpen && <p class="quiet">{peopleWords.hiddenMembers}</p>}
      {isOpen && seen.length === 0 && <p class="quiet">{peopleWords.nobodyInIt}</p>}
      {isOpen && <People all={seen} />}
    </section>
  )
}

function People({ all }: { all: readonly Member[] }) {
  const { shown, onward } = useParts(all)
  const last = lastHere(switches.value)
  const here = front.value?.members ?? []
  return (
    <>
      <ul class="members">
        {shown.map((member, at) => (
          <li key={member.id} aria-setsize={all.length} aria-posinset={at + 1}>
            <a class="someone" href={`#/members/${member.id}`}>
              <Someone
                member={member}
                isHere={here.includes(member.id)}
                until={last.get(member.id)}
              />
            </a>
          </li>
        ))}
      </ul>
      {onward}
    </>
  )
}

/** A preference of the dashboard, so it is kept beside the group and not in it. */
function Statuses({ own }: { own: Group }) {
  const [problem, setProblem] = useState('')
  const { statuses } = preferences.value
  const isMarked = statuses.includes(own.uuid)
  const mark = async () => {
    if (isAway.value) return setProblem(words.notConnected)
    setProblem('')
    const others = statuses.filter((uuid) => uuid !== own.uuid)
    await savePreferences({ statuses: isMarked ? others : [...others, own.uuid] }).catch((cause) =>
      setProblem(explainRefusal(cause, words.away)),
    )
  }
  return (
    <div class="card">
      <label class="check">
        <input type="checkbox" checked={isMarked} aria-disabled={isAway.value} onClick={mark} />
        <span>
          {peopleWords.statuses}
          <br />
          <span class="quiet small">{peopleWords.statusesMore}</span>
        </span>
      </label>
      <p class="problem" role="alert">
        {problem}
      </p>
    </div>
  )
}
