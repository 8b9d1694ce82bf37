import { nameOfGroup } from '../../actions/groupTree'
import { api } from '../../api/resources'
import { type Group, isArchived, isCustomFront, type Member } from '../../api/types'
import { showToast } from '../../core/actions'
import { groups, memberWord, removeGroupFromStore } from '../../core/store'
import { useAction } from '../../core/useAction'
import { archiveStrings, bulkStrings, editStrings, memberStrings, strings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { ProblemText } from '../../ui/problemText'
import { DeleteButton } from '../form/formPage'
import { membersOf } from '../groups/groupMembers'

/** Groups that imports of earlier releases made, and what all of their members are now. */
const oldGroups: Readonly<Record<string, (member: Member) => boolean>> = {
  'Custom fronts': isCustomFront,
  Archived: isArchived,
}

/** Offers to delete groups that imports made before there were custom fronts and archived members. */
export function OldGroups() {
  const oldGroups = groups.value.filter(isOld)
  if (oldGroups.length === 0) return null
  return (
    <section class="card" aria-labelledby="old-groups">
      <h2 id="old-groups">{archiveStrings.oldGroups}</h2>
      <p class="quiet">{archiveStrings.oldGroupsMore(memberWord.value)}</p>
      <ul class="things">
        {oldGroups.map((group) => (
          <OldGroup key={group.uuid} group={group} />
        ))}
      </ul>
    </section>
  )
}

function OldGroup({ group }: { group: Group }) {
  const { run, problem } = useAction()
  const name = nameOfGroup(group)
  const remove = async () => {
    await api.v2Groups.remove(group.uuid)
    removeGroupFromStore(group.uuid)
    showToast({ text: memberStrings.groupIsDeleted(memberWord.value) })
  }
  return (
    <li>
      <a href={`#/groups/${group.id}`}>
        <bdi>{name}</bdi>
      </a>
      <DeleteButton
        confirm={(onClose) => (
          <ConfirmSheet
            heading={bulkStrings.deleteAsk(name)}
            effect={editStrings.deleteGroupEffect(memberWord.value)}
            action={strings.delete}
            onConfirm={() => run(remove)}
            onClose={onClose}
          />
        )}
      />
      <ProblemText text={problem} />
    </li>
  )
}

function isOld(group: Group): boolean {
  const isSuch = Object.hasOwn(oldGroups, group.name) ? oldGroups[group.name] : undefined
  const inside = membersOf(group)
  return isSuch !== undefined && inside.length > 0 && inside.every(isSuch)
}
