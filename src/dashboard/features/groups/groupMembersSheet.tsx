import { useState } from 'preact/hooks'
import { changeMemberships } from '../../actions/groupActions'
import type { Group } from '../../api/types'
import { members } from '../../core/store'
import { useAction } from '../../core/useAction'
import { memberStrings, strings } from '../../texts/texts'
import { Form } from '../../ui/form/textField'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import { MemberPicker } from '../members/memberPicker'

/** Selects the members of a group; saved in one request. */
export function GroupMembersSheet({ group, onClose }: { group: Group; onClose: () => void }) {
  const [before] = useState(() => new Set(group.members))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(before)
  const { onSubmit, problem } = useAction()
  const added = members.value.filter(({ uuid }) => chosen.has(uuid) && !before.has(uuid))
  const removed = members.value.filter(({ uuid }) => !chosen.has(uuid) && before.has(uuid))
  const save = async () => {
    if (added.length + removed.length > 0) await changeMemberships(group, added, removed)
    onClose()
  }
  return (
    <Sheet
      heading={memberStrings.whoIsIn(group.display_name || group.name)}
      isChanged={added.length + removed.length > 0}
      onClose={onClose}
    >
      <Form onSubmit={onSubmit(save)}>
        <MemberPicker chosen={chosen} onChange={setChosen} />
        <div class="sheet-foot">
          <p role="status">{describeChange(added.length, removed.length)}</p>
          <ProblemText text={problem} />
          <SubmitButton>{strings.save}</SubmitButton>
        </div>
      </Form>
    </Sheet>
  )
}

function describeChange(added: number, removed: number): string {
  if (added > 0 && removed > 0) return memberStrings.willAddAndRemove(added, removed)
  if (added > 0) return memberStrings.willAdd(added)
  return removed > 0 ? memberStrings.willRemove(removed) : memberStrings.noChanges
}
