import { useState } from 'preact/hooks'
import { changeMemberships } from '../groupActions'
import { type Group, isOffline, members } from '../store'
import { strings } from '../strings'
import { memberStrings } from '../strings/member'
import { useAction } from '../useAction'
import { MemberPicker } from './memberPicker'
import { ProblemText } from './problemText'
import { Sheet } from './sheet'

/** Selects the members of a group; saved in one request. */
export function GroupMembersSheet({ own, onClose }: { own: Group; onClose: () => void }) {
  const [before] = useState(() => new Set(own.members))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(before)
  const { onSubmit, problem } = useAction()
  const added = members.value.filter(({ uuid }) => chosen.has(uuid) && !before.has(uuid))
  const removed = members.value.filter(({ uuid }) => !chosen.has(uuid) && before.has(uuid))
  const save = async () => {
    if (added.length + removed.length > 0) await changeMemberships(own, added, removed)
    onClose()
  }
  return (
    <Sheet heading={memberStrings.peopleOf(own.display_name || own.name)} onClose={onClose}>
      <form onSubmit={onSubmit(save)} noValidate>
        <MemberPicker chosen={chosen} onChange={setChosen} />
        <div class="sheet-foot">
          <p role="status">{memberStrings.willCome(added.length, removed.length)}</p>
          <ProblemText text={problem} />
          <button type="submit" class="main" aria-disabled={isOffline.value}>
            {strings.save}
          </button>
        </div>
      </form>
    </Sheet>
  )
}
