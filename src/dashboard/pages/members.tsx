import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { requestedFocus } from '../actions/shortcuts'
import { hasSubgroups } from '../actions/subgroups'
import { isArchived, isCustomFront, type Member } from '../api/types'
import { announce } from '../core/actions'
import { lastHere } from '../core/history'
import { pageBefore, route } from '../core/route'
import { front, groups, isOffline, members, memberWord, switches } from '../core/store'
import { useAction } from '../core/useAction'
import { IncludeSubgroups } from '../features/groups/includeSubgroups'
import { EmptyState } from '../features/members/emptyState'
import { useIncrementalList } from '../features/members/memberGrid'
import {
  changeListing,
  type Listing,
  listing,
  listMembers,
  listPosition,
  sorts,
} from '../features/members/memberList'
import { MemberRow } from '../features/members/memberRow'
import { listSections } from '../features/members/memberSections'
import { prepareSearch } from '../lib/search'
import { listStrings, strings } from '../texts/texts'
import { ChipGroup } from '../ui/chipGroup'
import { Icon } from '../ui/icon'
import { lazy } from '../ui/lazy'
import { Page } from '../ui/page'
import { ProblemText } from '../ui/problemText'
import { Search } from '../ui/searchField'

export function Members() {
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const [isCreating, setCreating] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  // Before paint, or the next keystroke would be lost.
  useLayoutEffect(() => {
    if (requestedFocus.value !== 'search') return
    requestedFocus.value = null
    field.current?.focus()
  }, [requestedFocus.value])
  useEffect(() => prepareSearch(members.value), [members.value])
  const word = memberWord.value
  if (members.value.length === 0)
    return (
      <Page title={word.title}>
        <EmptyState />
      </Page>
    )
  const context = {
    here: front.value?.members ?? [],
    groups: groups.value,
    last: lastHere(switches.value),
  }
  const { typed } = listing.value
  const matches = listMembers(members.value, listing.value, context)
  const sections = listSections(matches)
  const isOnlyMembers = sections.every(([heading]) => heading === '')
  const updateListing = (patch: Partial<Listing>) => {
    changeListing(patch)
    announce(strings.found(listMembers(members.value, listing.value, context).length))
  }
  const row = (member: Member) => (
    <MemberRow
      member={member}
      isHere={context.here.includes(member.id)}
      until={context.last.get(member.id)}
    />
  )
  const actions = (
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
        aria-label={listStrings.addMember(word)}
        onClick={() => setCreating(true)}
      >
        <Icon name="plus" />
        {listStrings.add}
      </button>
    </div>
  )
  return (
    <Page title={word.title} actions={actions}>
      <Search value={typed} onChange={(value) => updateListing({ typed: value })} field={field} />
      <Filters onChange={updateListing} />
      <div class="heading">
        <p class="quiet">
          {typed === '' && isOnlyMembers
            ? strings.countOf(matches.length, word)
            : strings.found(matches.length)}
        </p>
        <Sorting onChange={updateListing} />
      </div>
      {matches.length > 0 ? (
        sections.map(([heading, inside]) => (
          <Fragment key={heading}>
            {heading !== '' && <h2>{heading}</h2>}
            <List all={inside} row={row} chosen={chosen} onChoose={setChosen} />
          </Fragment>
        ))
      ) : typed.trim() === '' ? (
        <p>{listStrings.noMatch}</p>
      ) : (
        <NotFound name={typed.trim()} />
      )}
      {chosen && (
        <SelectBar
          chosen={members.value.filter(({ uuid }) => chosen.has(uuid))}
          members={matches}
          onChoose={(some) => setChosen(new Set(some.map(({ uuid }) => uuid)))}
          onDone={() => setChosen(null)}
        />
      )}
      {isCreating && <CreateMemberSheet onClose={() => setCreating(false)} />}
    </Page>
  )
}

const CreateMemberSheet = lazy(async () => (await import('./createSheet')).CreateMemberSheet)
const SelectBar = lazy(async () => (await import('./selectBar')).SelectBar)

/** Number of groups shown until the list is expanded. */
const FIRST_GROUPS = 8

/** Filters that are offered while they have members. */
const offered = [
  ['custom', () => strings.customFronts, isCustomFront],
  ['archived', () => listStrings.archived, isArchived],
] as const

function Filters({ onChange }: { onChange: (patch: Partial<Listing>) => void }) {
  const [isOpen, setOpen] = useState(false)
  const { filter, isDeep = false } = listing.value
  const shown = groups.value.filter(
    ({ uuid }, index) => isOpen || index < FIRST_GROUPS || uuid === filter,
  )
  const options = [
    ['everyone', listStrings.everyone],
    ['here', strings.hereNow],
    ['private', listStrings.private],
    ...offered
      .filter(([kind, , isOne]) => filter === kind || members.value.some(isOne))
      .map(([kind, title]) => [kind, title()]),
    ...shown.map((group) => [group.uuid, group.display_name || group.name]),
  ] as [string, string][]
  const current = options.some(([value]) => value === filter) ? filter : 'everyone'
  return (
    <ChipGroup
      legend={listStrings.filters}
      isLegendHidden
      options={options}
      value={current}
      onChange={(filter) => onChange({ filter })}
      more={
        groups.value.length > FIRST_GROUPS &&
        !isOpen && (
          <button type="button" class="chip" onClick={() => setOpen(true)}>
            {listStrings.moreGroups}
          </button>
        )
      }
    >
      {hasSubgroups(groups.value, filter) && (
        <IncludeSubgroups value={isDeep} onChange={(isDeep) => onChange({ isDeep })} />
      )}
    </ChipGroup>
  )
}

function Sorting({ onChange }: { onChange: (patch: Partial<Listing>) => void }) {
  return (
    <label class="sorting">
      {listStrings.sort}
      <select
        value={listing.value.sort}
        onChange={({ currentTarget }) => {
          const sort = sorts.find((name) => name === currentTarget.value)
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
  const { run, problem } = useAction()
  const create = async () => (await import('../features/members/createMember')).createMember(name)
  return (
    <div class="card">
      <p>{strings.nobodyFound}</p>
      <ProblemText text={problem} />
      <button
        type="button"
        class="main"
        aria-disabled={isOffline.value}
        onClick={() => run(create)}
      >
        {strings.addNamed(name)}
      </button>
    </div>
  )
}

interface ListProps {
  all: readonly Member[]
  row: (member: Member) => ComponentChildren
  /** UUIDs; null outside selection mode. */
  chosen: ReadonlySet<string> | null
  onChoose: (chosen: ReadonlySet<string>) => void
}

function List({ all, row, chosen, onChoose }: ListProps) {
  const { typed, filter, isDeep, sort } = listing.value
  const { shown, moreButton } = useIncrementalList(all, {
    listKey: `${sort} ${filter} ${isDeep} ${typed}`,
    start: listPosition.count,
    onMore: (count) => {
      listPosition.count = count
    },
  })
  useScrollRestoration()
  const toggle = (uuid: string) => {
    const others = new Set(chosen)
    if (!others.delete(uuid)) others.add(uuid)
    onChoose(others)
  }
  return (
    <>
      <ul class="members">
        {shown.map((member, index) => (
          <li key={member.id} aria-setsize={all.length} aria-posinset={index + 1}>
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
      {moreButton}
    </>
  )
}

/** Restores the scroll position after returning from a member. */
function useScrollRestoration(): void {
  useEffect(() => {
    if (pageBefore() === 'member') scrollTo(0, listPosition.top)
    const savePosition = () => {
      // The next page scrolls while this one is still mounted.
      if (route.value.page === 'members') listPosition.top = scrollY
    }
    addEventListener('scroll', savePosition, { passive: true })
    return () => removeEventListener('scroll', savePosition)
  }, [])
}
