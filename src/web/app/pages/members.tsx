import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { announce } from '../actions'
import { errorMessage } from '../api'
import { CreateMemberSheet, createMember, EmptyState } from '../components/createMember'
import { Icon } from '../components/icon'
import { useIncrementalList } from '../components/memberGrid'
import { MemberRow } from '../components/memberRow'
import { Page } from '../components/page'
import { Search } from '../components/search'
import { SelectBar } from '../components/selectBar'
import { lastHere } from '../history'
import { changeListing, type Listing, listing, listMembers, reached, sorts } from '../memberList'
import { pageBefore, route } from '../route'
import { prepareSearch } from '../search'
import { wanted } from '../shortcuts'
import { front, groups, isOffline, type Member, members, preferences, switches } from '../store'
import { capitalize, countOf, strings } from '../strings'
import { listStrings } from '../strings/members'

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
        <EmptyState />
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
    announce(strings.found(listMembers(members.value, listing.value, around).length))
  }
  const row = (member: Member) => (
    <MemberRow
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
        {chosen ? listStrings.done : listStrings.select}
      </button>
      <button
        type="button"
        class="main"
        aria-label={listStrings.makeSomeone}
        onClick={() => setMaking(true)}
      >
        <Icon name="plus" />
        {listStrings.make}
      </button>
    </div>
  )
  return (
    <Page place={capitalize(word)} beside={beside}>
      <Search value={typed} onChange={(value) => look({ typed: value })} field={field} />
      <Filters onChange={look} />
      <div class="heading">
        <p class="quiet">
          {typed === '' ? countOf(found.length, word) : strings.found(found.length)}
        </p>
        <Sorting onChange={look} />
      </div>
      {found.length > 0 ? (
        <List all={found} row={row} chosen={chosen} onChoose={setChosen} />
      ) : typed.trim() === '' ? (
        <p>{listStrings.nobodyHere}</p>
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
      {isMaking && <CreateMemberSheet onClose={() => setMaking(false)} />}
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
    ['everyone', listStrings.everyone],
    ['here', strings.hereNow],
    ['private', listStrings.private],
    ...shown.map((group) => [group.uuid, group.display_name || group.name]),
  ] as [string, string][]
  const current = options.some(([value]) => value === filter) ? filter : 'everyone'
  return (
    <fieldset class="choice" aria-label={listStrings.filters}>
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
            {listStrings.moreGroups}
          </button>
        )}
      </div>
    </fieldset>
  )
}

function Sorting({ onChange }: { onChange: (patch: Partial<Listing>) => void }) {
  return (
    <label class="sorting">
      {listStrings.sort}
      <select
        value={listing.value.sort}
        onChange={({ currentTarget }) => {
          const sort = sorts.find((one) => one === currentTarget.value)
          if (sort) onChange({ sort })
        }}
      >
        {sorts.map((sort) => (
          <option key={sort} value={sort}>
            {listStrings.sorts[sort]}
          </option>
        ))}
      </select>
    </label>
  )
}

function NotFound({ name }: { name: string }) {
  const [problem, setProblem] = useState('')
  const make = () => {
    if (isOffline.value) return
    createMember(name).catch((cause) => setProblem(errorMessage(cause, strings.away)))
  }
  return (
    <div class="card">
      <p>{strings.nobodyFound}</p>
      <p class="problem" role="alert">
        {problem}
      </p>
      <button type="button" class="main" aria-disabled={isOffline.value} onClick={make}>
        {strings.makeNamed(name)}
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
  const { shown, onward } = useIncrementalList(all, {
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
