import { useState } from 'preact/hooks'
import { type GroupNode, listTree, pathOf } from '../actions/groupTree'
import type { Group } from '../api/types'
import { announce } from '../core/actions'
import { createDraft } from '../core/drafts'
import { groups, isOffline } from '../core/store'
import { GroupRow } from '../features/groups/groupRow'
import { MoveGroupSheet } from '../features/groups/moveGroupSheet'
import { searchMembers } from '../lib/search'
import { groupTreeStrings, listStrings, memberStrings, strings } from '../texts/texts'
import { Icon } from '../ui/icon'
import { Page } from '../ui/page'
import { Search } from '../ui/searchField'
import { CreateGroupSheet } from './createSheet'

export function Groups() {
  const [typed, setTyped] = useState('')
  const [isCreating, setCreating] = useState(false)
  const matches = searchMembers(groups.value, typed)
  const search = (value: string) => {
    setTyped(value)
    announce(strings.found(searchMembers(groups.value, value).length))
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
      {matches.length === 0 && (
        <p>{groups.value.length === 0 ? memberStrings.noGroups : memberStrings.noGroupFound}</p>
      )}
      {typed.trim() === '' ? (
        <Tree />
      ) : (
        <ul class="members">
          {matches.map((group) => (
            <li key={group.id}>
              <a class="someone" href={`#/groups/${group.id}`}>
                <GroupRow group={group} path={pathOf(groups.value, group)} />
              </a>
            </li>
          ))}
        </ul>
      )}
      {isCreating && (
        <CreateGroupSheet
          onClose={() => setCreating(false)}
          onDone={() => {
            setCreating(false)
            setTyped('')
          }}
        />
      )}
    </Page>
  )
}

/** UUIDs of the groups whose subgroups are hidden. */
const collapsed = createDraft<ReadonlySet<string>>(new Set())

/** All groups, each followed by its subgroups. */
function Tree() {
  const [moved, setMoved] = useState<Group | null>(null)
  const isCollapsed = ({ uuid }: Group) => collapsed.value.has(uuid)
  const nodes = listTree(groups.value, isCollapsed)
  const isNested = nodes.some(({ children }) => children > 0)
  const toggle = ({ uuid }: Group) => {
    const others = new Set(collapsed.value)
    if (!others.delete(uuid)) others.add(uuid)
    collapsed.value = others
  }
  return (
    <>
      <ul class="members tree">
        {nodes.map(({ group, children, ...place }) => (
          <li key={group.id} {...describePlace(place)}>
            {isNested && (
              <button
                type="button"
                class="round"
                aria-expanded={!isCollapsed(group)}
                aria-label={groupTreeStrings.subgroupsOf(group.display_name || group.name)}
                hidden={children === 0}
                onClick={() => toggle(group)}
              >
                <Icon name={isCollapsed(group) ? 'forth' : 'down'} />
              </button>
            )}
            <a class="someone" href={`#/groups/${group.id}`}>
              <GroupRow group={group} />
            </a>
            <button
              type="button"
              class="round"
              aria-label={groupTreeStrings.moveNamed(group.display_name || group.name)}
              aria-disabled={isOffline.value}
              onClick={() => isOffline.value || setMoved(group)}
            >
              <Icon name="more" />
            </button>
          </li>
        ))}
      </ul>
      {moved && <MoveGroupSheet own={moved} onClose={() => setMoved(null)} />}
    </>
  )
}

/** Returns the attributes of a row, because rows of subgroups are not inside of their parent's. */
function describePlace({ level, place, siblings }: Omit<GroupNode, 'group' | 'children'>) {
  return {
    'aria-level': level,
    'aria-posinset': place,
    'aria-setsize': siblings,
    style: { '--level': level - 1 },
  }
}
