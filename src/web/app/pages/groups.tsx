import { useState } from 'preact/hooks'
import { announce, showToast } from '../actions'
import { requestOwn } from '../api'
import { Avatar } from '../components/avatar'
import { NameSheet } from '../components/createMember'
import { Icon } from '../components/icon'
import { Page } from '../components/page'
import { Search } from '../components/search'
import { searchMembers } from '../search'
import { type Group, groups, memberWord, preferences, putGroup } from '../store'
import { listStrings, memberStrings, strings } from '../strings'
import { isListed } from '../types'

export function Groups() {
  const [typed, setTyped] = useState('')
  const [isCreating, setCreating] = useState(false)
  const found = searchMembers(groups.value, typed)
  const search = (value: string) => {
    setTyped(value)
    announce(strings.found(searchMembers(groups.value, value).length))
  }
  const create = async (name: string) => {
    const created = await requestOwn<Group>('v2/groups', { method: 'POST', body: { name } })
    if (!created) return
    putGroup(created)
    showToast({ text: memberStrings.groupIsAdded })
    setCreating(false)
    setTyped('')
  }
  return (
    <Page
      title={strings.groups}
      actions={
        <button
          type="button"
          class="main"
          aria-label={memberStrings.addGroup}
          onClick={() => setCreating(true)}
        >
          <Icon name="plus" />
          {listStrings.add}
        </button>
      }
    >
      {groups.value.length > 0 && (
        <Search value={typed} onChange={search} hint={memberStrings.searchGroups} />
      )}
      {found.length === 0 && (
        <p>{groups.value.length === 0 ? memberStrings.noGroups : memberStrings.noGroupFound}</p>
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
      {isCreating && (
        <NameSheet
          heading={memberStrings.addGroup}
          onName={create}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  )
}

function Row({ group }: { group: Group }) {
  const count = strings.countOf(group.members?.length ?? 0, memberWord.value)
  const about = preferences.value.statuses.includes(group.uuid)
    ? `${count} · ${memberStrings.areStatuses}`
    : count
  return (
    <>
      <Avatar of={{ ...group, avatar_url: group.icon }} />
      <span class="about">
        <span class="name">
          <bdi>{group.display_name || group.name}</bdi>
        </span>{' '}
        <span class="quiet small">{about}</span>
      </span>
      {!isListed(group) && (
        <span class="hidden-one">
          <Icon name="lock" />
          <span class="unseen">{listStrings.hiddenFromLists}</span>
        </span>
      )}
    </>
  )
}
