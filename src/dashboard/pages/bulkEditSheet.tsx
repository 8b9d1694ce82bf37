import { useState } from 'preact/hooks'
import { changeMemberships } from '../actions/groupActions'
import { deleteMembers } from '../actions/memberActions'
import type { Group, Member } from '../api/types'
import { groups, isOffline, memberWord, nameOf } from '../core/store'
import { useAction } from '../core/useAction'
import { BulkPrivacyForm } from '../features/privacy/bulkPrivacyForm'
import { bulkStrings, listNames, strings } from '../texts/texts'
import { ConfirmDelete } from '../ui/confirmDelete'
import { ProblemText } from '../ui/problemText'
import { Sheet } from '../ui/sheet'

export type BulkAction = 'privacy' | 'groups' | 'delete'

export interface BulkEditProps {
  action: BulkAction
  chosen: readonly Member[]
  onClose: () => void
  onDone: () => void
}

/** Changes privacy or groups of several members, or deletes them. */
export function BulkEditSheet({ action, chosen, onClose, onDone }: BulkEditProps) {
  // Fixed when the sheet opens: the change itself may alter the selection.
  const [selected] = useState(chosen)
  const titles = {
    privacy: bulkStrings.privacyOf(describeSelection(selected)),
    groups: bulkStrings.groupsOf(describeSelection(selected)),
    delete: bulkStrings.deleteAsk(describeSelection(selected)),
  }
  return (
    <Sheet heading={titles[action]} onClose={onClose}>
      {action === 'privacy' && <BulkPrivacyForm selected={selected} onDone={onDone} />}
      {action === 'groups' && <GroupsOf selected={selected} onDone={onDone} />}
      {action === 'delete' && <DeleteAll selected={selected} onDone={onDone} />}
    </Sheet>
  )
}

interface Props {
  selected: readonly Member[]
  onDone: () => void
}

/** Lists up to three names, otherwise a count. */
function describeSelection(selected: readonly Member[]): string {
  return selected.length > 3
    ? strings.countOf(selected.length, memberWord.value)
    : listNames(selected.map(({ id }) => nameOf(id)))
}

function GroupsOf({ selected, onDone }: Props) {
  const { run, problem } = useAction()
  const change = (group: Group, added: readonly Member[], removed: readonly Member[]) =>
    run(async () => {
      await changeMemberships(group, added, removed)
      onDone()
    })
  if (groups.value.length === 0)
    return (
      <>
        <p>{bulkStrings.noGroups}</p>
        <a class="beside" href="#/groups">
          {bulkStrings.toGroups}
        </a>
      </>
    )
  return (
    <>
      <ProblemText text={problem} />
      <ul class="things">
        {groups.value.map((group) => {
          const inside = new Set(group.members)
          const within = selected.filter(({ uuid }) => inside.has(uuid))
          const outside = selected.filter(({ uuid }) => !inside.has(uuid))
          const name = group.display_name || group.name
          return (
            <li key={group.uuid}>
              <div class="about">
                <bdi class="name">{name}</bdi>
                <div class="quiet small">{bulkStrings.areIn(within.length, selected.length)}</div>
              </div>
              {outside.length > 0 && (
                <button
                  type="button"
                  aria-label={bulkStrings.addTo(name)}
                  aria-disabled={isOffline.value}
                  onClick={() => change(group, outside, [])}
                >
                  {bulkStrings.add}
                </button>
              )}
              {within.length > 0 && (
                <button
                  type="button"
                  aria-label={bulkStrings.removeFrom(name)}
                  aria-disabled={isOffline.value}
                  onClick={() => change(group, [], within)}
                >
                  {bulkStrings.remove}
                </button>
              )}
            </li>
          )
        })}
      </ul>
    </>
  )
}

function DeleteAll({ selected, onDone }: Props) {
  const [deletedCount, setDeletedCount] = useState(0)
  const member = selected.length === 1 ? selected[0] : undefined
  const expected = member ? member.name : String(selected.length)
  return (
    <ConfirmDelete
      effect={bulkStrings.deleteEffect}
      label={member ? bulkStrings.typeToConfirm(expected) : bulkStrings.typeCount(expected)}
      expected={expected}
      onDelete={async () => {
        await deleteMembers(selected, setDeletedCount)
        onDone()
      }}
    >
      {selected.length > 1 && (
        <p class="quiet">{listNames(selected.map(({ id }) => nameOf(id)))}</p>
      )}
      <p role="status">
        {deletedCount > 0 && bulkStrings.deletedSoFar(deletedCount, selected.length)}
      </p>
    </ConfirmDelete>
  )
}
