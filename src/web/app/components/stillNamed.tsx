import { showToast } from '../actions'
import { requestOwn } from '../api'
import { findNamingLists, levelOfList, type NamingList } from '../publicView'
import { isOffline, type System, system } from '../store'
import { privacyStrings } from '../strings'
import { useAction } from '../useAction'
import { ProblemText } from './problemText'

/** Shows which public lists still name private members, and offers to make them private. */
export function StillNamed() {
  const { run, problem, isBusy } = useAction()
  const lists = findNamingLists(system.value)
  const [first] = lists
  if (first === undefined) return null
  const which = lists.length > 1 ? 'both' : first
  const makePrivate = async () => {
    await setLists(lists, 'private')
    showToast({
      text: privacyStrings.areListsPrivate[which],
      undo: () => setLists(lists, 'public'),
    })
  }
  return (
    <div class="note">
      <p>{privacyStrings.stillNamed[which]}</p>
      <ProblemText text={problem} />
      <button
        type="button"
        aria-disabled={isOffline.value}
        aria-busy={isBusy}
        onClick={() => run(makePrivate)}
      >
        {privacyStrings.makeListsPrivate[which]}
      </button>
    </div>
  )
}

async function setLists(lists: readonly NamingList[], to: 'public' | 'private'): Promise<void> {
  const privacy = Object.fromEntries(lists.map((list) => [levelOfList(list), to]))
  const body = { privacy }
  system.value = await requestOwn<System>('v2/systems/@me', { method: 'PATCH', body })
}
