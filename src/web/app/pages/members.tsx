import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { say } from '../acts'
import { explainRefusal } from '../client'
import { lastHere } from '../history'
import { wanted } from '../keys'
import { changeListing, type Listing, listing, listMembers, reached, sorts } from '../listing'
import { Icon } from '../parts/icon'
import { MakeFirst, MakeSheet, makeMember } from '../parts/make'
import { Page } from '../parts/page'
import { Search } from '../parts/search'
import { SelectBar } from '../parts/selectBar'
import { Someone } from '../parts/someone'
import { useParts } from '../parts/tiles'
import { pageBefore, route } from '../route'
import { prepareSearch } from '../search'
import { front, groups, isAway, type Member, members, preferences, switches } from '../store'
import { capitalize, countOf, words } from '../words'
import { listWords } from '../words/members'

/** Everyone, found while typing. */
export function Members() {
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const [isMaking, setMaking] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  // At once, or the next key would be lost.
  useLayoutEffect(() => {
    if (wanted.value !== 'search') return
    wanted.value = null
    field.current?.focus()
  }, [wanted.value])
  useEffect(() => prepareSearch(members.value), [members.value])
  const { word } = preferences.value
  if (members.value.length === 0)
    return (
      <Page place={capitalize(word)}>
        <MakeFirst />
      </Page>
    )
  const around = {
    here: front.value?.members ?? [],
    groups: groups.value,
    last: lastHere(switches.value),
  }
  const { typed } = listing.value
  const found = listMembers(members.value, listing.value, around)
  const look = (patch: Partial<Listing>) => {
    changeListing(patch)
    say(words.found(listMembers(members.value, listing.value, around).length))
  }
  const row = (member: Member) => (
    <Someone
      member={member}
      isHere={around.here.includes(member.id)}
      until={around.last.get(member.id)}
    />
  )
  const beside = (
    <div class="row">
      <button
        type="button"
        class="plain"
        aria-pressed={chosen !== null}
        onClick={() => setChosen(chosen ? null : new Set())}
      >
        {chosen ? listWords.done : listWords.select}
      </button>
      <button
        type="button"
        class="main"
        aria-label={listWords.makeSomeone}
        onClick={() => setMaking(true)}
      >
        <Icon name="plus" />
        {listWords.make}
      </button>
    </div>
  )
  return (
    <Page place={capitalize(word)} beside={beside}>
      <Search value={typed} onChange={(value) => look({ typed: value })} field={field} />
      <Filters onChange={look} />
      <div class="heading">
        <p class="quiet">
          {typed === '' ? countOf(found.length, word) : words.found(found.length)}
        </p>
        <Sorting onChange={look} />
      </div>
      {found.length > 0 ? (
        <List all={found} row={row} chosen={chosen} onChoose={setChosen} />
      ) : typed.trim() === '' ? (
        <p>{listWords.nobodyHere}</p>
      ) : (
        <NotFound name={typed.trim()} />
      )}
      {chosen && (
        <SelectBar
          chosen={members.value.filter(({ uuid }) => chosen.has(uuid))}
          found={found}
          onChoose={(some) => setChosen(new Set(some.map(({ uuid }) => uuid)))}
          onDone={() => setChosen(null)}
        />
      )}
      {isMaking && <MakeSheet onClose={() => setMaking(false)} />}
    </Page>
  )
}

/** As many groups as are seen at a glance; the others at a press. */
const GLANCE = 8

function Filters({ onChange }: { onChange: (patch: Partial<Listing>) => void }) {
  const [isOpen, setOpen] = useState(false)
  const { filter } = listing.value
  const shown = groups.value.filter(({ uuid }, at) => isOpen || at < GLANCE || uuid === filter)
  const options = [
    ['everyone', listWords.everyone],
    ['here', words.hereNow],
    ['private', listWords.private],
    ...shown.map((group) => [group.uuid, group.display_name || group.name]),
  ] as [string, string][]
  const current = options.some(([value]) => value === filter) ? filter : 'everyone'
  return (
    <fieldset class="choice" aria-label={listWords.filters}>
      <div class="chips">
        {options.map(([value, title]) => (
          <button
            key={value}
            type="button"
            class="chip"
            aria-pressed={current === value}
            onClick={() => onChange({ filter: value })}
          >
            {title}
          </button>
        ))}
        {groups.value.length > GLANCE && !isOpen && (
          <button type="button" class="chip" onClick={() => setOpen(true)}>
            {listWords.moreGroups}
          </button>
        )}
      </div>
    </fieldset>
  )
}

function Sorting({ onChange }: { onChange: (patch: Partial<Listing>) => void }) {
  return (
    <label class="sorting">
      {listWords.sort}
      <select
        value={listing.value.sort}
        onChange={({ currentTarget }) => {
          const sort = sorts.find((one) => one === currentTarget.value)
          if (sort) onChange({ sort })
        }}
      >
        {sorts.map((sort) => (
          <option key={sort} value={sort}>
            {listWords.sorts[sort]}
          </option>
        ))}
      </select>
    </label>
  )
}

function NotFound({ name }: { name: string }) {
  const [problem, setProblem] = useState('')
  const make = () => {
    if (isAway.value) return
    makeMember(name).catch((cause) => setProblem(explainRefusal(cause, words.away)))
  }
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

interface ListProps {
  all: readonly Member[]
  row: (member: Member) => ComponentChildren
  /** UUIDs; null while nobody is being chosen. */
  chosen: ReadonlySet<string> | null
  onChoose: (chosen: ReadonlySet<string>) => void
}

function List({ all, row, chosen, onChoose }: ListProps) {
  const { typed, filter, sort } = listing.value
  const { shown, onward } = useParts(all, {
    about: `${sort} ${filter} ${typed}`,
    start: reached.count,
    onMore: (count) => {
      reached.count = count
    },
  })
  useScrollBack()
  const toggle = (uuid: string) => {
    const others = new Set(chosen)
    if (!others.delete(uuid)) others.add(uuid)
    onChoose(others)
  }
  return (
    <>
      <ul class="members">
        {shown.map((member, at) => (
          <li key={member.id} aria-setsize={all.length} aria-posinset={at + 1}>
            {chosen ? (
              <label class="someone">
                <input
                  type="checkbox"
                  checked={chosen.has(member.uuid)}
                  onChange={() => toggle(member.uuid)}
                />
                {row(member)}
              </label>
            ) : (
              <a class="someone" href={`#/members/${member.id}`}>
                {row(member)}
              </a>
            )}
          </li>
        ))}
      </ul>
      {onward}
    </>
  )
}

/** Whoever comes back from somebody is where they were. */
function useScrollBack(): void {
  useEffect(() => {
    if (pageBefore() === 'member') scrollTo(0, reached.top)
    const keep = () => {
      // The next place scrolls, too, while this one goes.
      if (route.value.page === 'members') reached.top = scrollY
    }
    addEventListener('scroll', keep, { passive: true })
    return () => removeEventListener('scroll', keep)
  }, [])
}
