import { useEffect, useRef, useState } from 'preact/hooks'
import { logSwitch, say, toast } from '../acts'
import { explainRefusal } from '../client'
import { lastHere } from '../history'
import { wanted } from '../keys'
import { Face } from '../parts/face'
import { Icon } from '../parts/icon'
import { MakeFirst, makeMember } from '../parts/make'
import { Page } from '../parts/page'
import { Search } from '../parts/search'
import { useParts } from '../parts/tiles'
import { searchMembers } from '../search'
import { front, isAway, type Member, members, preferences, switches } from '../store'
import { now } from '../ticking'
import { spellAgo } from '../time'
import { capitalize, countOf, words } from '../words'

/** Everyone, found while typing. */
export function Members() {
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (wanted.value !== 'search') return
    wanted.value = null
    field.current?.focus()
  }, [wanted.value])
  const { word } = preferences.value
  if (members.value.length === 0)
    return (
      <Page place={capitalize(word)}>
        <MakeFirst />
      </Page>
    )
  const found = searchMembers(members.value, typed)
  const search = (value: string) => {
    setTyped(value)
    say(words.found(searchMembers(members.value, value).length))
  }
  return (
    <Page place={capitalize(word)}>
      <Search value={typed} onChange={search} field={field} />
      <p class="quiet">{typed === '' ? countOf(found.length, word) : words.found(found.length)}</p>
      {found.length === 0 ? <NotFound name={typed.trim()} /> : <List key={typed} all={found} />}
    </Page>
  )
}

function NotFound({ name }: { name: string }) {
  const [problem, setProblem] = useState('')
  const make = () =>
    makeMember(name).catch((cause) => setProblem(explainRefusal(cause, words.away)))
  return (
    <div class="card">
      <p>{words.nobodyFound}</p>
      <p class="problem" role="alert">
        {problem}
      </p>
      <button type="button" class="main" aria-disabled={isAway.value} onClick={make}>
        {words.makeNamed(name)}
      </button>
    </div>
  )
}

function List({ all }: { all: readonly Member[] }) {
  const { shown, isMore, more, end } = useParts(all)
  const last = lastHere(switches.value)
  return (
    <>
      <ul class="members">
        {shown.map((member, at) => (
          <li key={member.id} aria-setsize={all.length} aria-posinset={at + 1}>
            <Row member={member} until={last.get(member.id)} />
          </li>
        ))}
      </ul>
      {isMore && (
        <button type="button" ref={end} class="plain" onClick={more}>
          {words.showMore}
        </button>
      )}
    </>
  )
}

function Row({ member, until }: { member: Member; until: number | null | undefined }) {
  const isHere = front.value?.members.includes(member.id) ?? false
  const name = member.display_name || member.name
  const about = [member.pronouns, until ? spellAgo(now.value - until) : null].filter(Boolean)
  const come = () =>
    logSwitch([member.id], null).catch((cause) => {
      toast.value = { text: explainRefusal(cause, words.away) }
    })
  return (
    <div class="someone">
      <Face of={member} />
      <div class="about">
        <span class="name">{name}</span>
        <div class="quiet small">{about.join(' · ')}</div>
      </div>
      {isHere ? (
        <span class="pill">{words.here}</span>
      ) : (
        <button
          type="button"
          class="round"
          aria-label={words.switchTo(name)}
          title={words.switchTo(name)}
          aria-disabled={isAway.value}
          onClick={come}
        >
          <Icon name="swap" />
        </button>
      )}
    </div>
  )
}
