import { useState } from 'preact/hooks'
import { say, tell } from '../acts'
import { askOwn } from '../client'
import { Face } from '../parts/face'
import { Icon } from '../parts/icon'
import { NameForm } from '../parts/make'
import { Page } from '../parts/page'
import { Search } from '../parts/search'
import { Sheet } from '../parts/sheet'
import { searchMembers } from '../search'
import { type Group, groups, keepGroup, preferences } from '../store'
import { isListed } from '../things'
import { countOf, words } from '../words'
import { listWords } from '../words/members'
import { peopleWords } from '../words/people'

/** Who belongs together. */
export function Groups() {
  const [typed, setTyped] = useState('')
  const [isMaking, setMaking] = useState(false)
  const found = searchMembers(groups.value, typed)
  const search = (value: string) => {
    setTyped(value)
    say(words.found(searchMembers(groups.value, value).length))
  }
  const make = async (name: string) => {
    const made = await askOwn<Group>('v2/groups', { method: 'POST', body: { name } })
    if (!made) return
    keepGroup(made)
    tell({ text: peopleWords.groupIsMade(name) })
    setMaking(false)
    setTyped('')
  }
  return (
    <Page
      place={words.groups}
      beside={
        <button
          type="button"
          class="main"
          aria-label={peopleWords.makeGroup}
          onClick={() => setMaking(true)}
        >
          <Icon name="plus" />
          {listWords.make}
        </button>
      }
    >
      {groups.value.length > 0 && (
        <Search value={typed} onChange={search} hint={peopleWords.searchGroups} />
      )}
      {found.length === 0 && (
        <p>{groups.value.length === 0 ? peopleWords.noGroups : peopleWords.noGroupFound}</p>
      )}
      <ul class="members">
        {found.map((group) => (
          <li key={group.id}>
            <a class="someone" href={`#/groups/${group.id}`}>
              <Row group={group} />
            </a>
          </li>
        ))}
      </ul>
      {isMaking && (
        <Sheet heading={peopleWords.makeGroup} onClose={() => setMaking(false)}>
          <NameForm act={listWords.make} onName={make} />
        </Sheet>
      )}
    </Page>
  )
}

function Row({ group }: { group: Group }) {
  const { word, statuses } = preferences.value
  const many = countOf(group.members?.length ?? 0, word)
  const about = statuses.includes(group.uuid) ? `${many} · ${peopleWords.areStatuses}` : many
  return (
    <>
      <Face of={{ ...group, avatar_url: group.icon }} />
      <span class="about">
        <span class="name">
          <bdi>{group.display_name || group.name}</bdi>
        </span>{' '}
        <span class="quiet small">{about}</span>
      </span>
      {!isListed(group) && (
        <span class="hidden-one">
          <Icon name="lock" />
          <span class="unseen">{listWords.hiddenFromLists}</span>
        </span>
      )}
    </>
  )
}
