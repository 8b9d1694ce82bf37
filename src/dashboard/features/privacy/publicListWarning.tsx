import type { Level } from '../../../model/core/entity'
import { changeSystemLevels } from '../../actions/privacyPresets'
import { showToast } from '../../core/actions'
import { isOffline, system } from '../../core/store'
import { useAction } from '../../core/useAction'
import { privacyStrings } from '../../texts/texts'
import { ProblemText } from '../../ui/problemText'
import { findNamingLists, levelOfList, type NamingList } from './publicView'

/** Shows which public lists still name private members, and offers to make them private. */
export function PublicListWarning() {
  const { run, problem, isBusy } = useAction()
  const lists = findNamingLists(system.value)
  const [first] = lists
  if (first === undefined) return null
  const which = lists.length > 1 ? 'both' : first
  const makePrivate = async () => {
    await changeSystemLevels(levelsOf(lists, 'private'))
    showToast({
      text: privacyStrings.areListsPrivate[which],
      undo: { kind: 'changeSystemLevels', levels: levelsOf(lists, 'public') },
    })
  }
  return (
    <div class="note part">
      <p>{privacyStrings.stillNamed[which]}</p>
      <ProblemText text={problem} />
      <button
        type="button"
        aria-disabled={isOffline.value}
        aria-busy={isBusy || undefined}
        onClick={() => run(makePrivate)}
      >
        {privacyStrings.makeListsPrivate[which]}
      </button>
    </div>
  )
}

function levelsOf(lists: readonly NamingList[], level: Level): Record<string, Level> {
  return Object.fromEntries(lists.map((list) => [levelOfList(list), level]))
}
