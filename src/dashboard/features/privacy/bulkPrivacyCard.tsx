import { useState } from 'preact/hooks'
import { hasSubgroups, memberUuids } from '../../actions/subgroups'
import { isArchived, isCustomFront } from '../../api/types'
import { groups, members } from '../../core/store'
import { memberExtStrings, privacyStrings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { IncludeSubgroups } from '../groups/includeSubgroups'
import { MemberPicker } from '../members/memberPicker'
import { BulkPrivacyForm } from './bulkPrivacyForm'

/** Sets the privacy of all members, of a group, or of some that are selected here. */
export function BulkPrivacyCard() {
  /** `everyone`, `chosen`, or the UUID of a group. */
  const [who, setWho] = useState('everyone')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isDeep, setDeep] = useState(false)
  const inside = who === 'chosen' ? chosen : memberUuids(groups.value, who, isDeep)
  const selected =
    who === 'everyone' ? members.value : members.value.filter(({ uuid }) => inside.has(uuid))
  return (
    <section class="card" aria-labelledby="many">
      <h2 id="many">{privacyStrings.many}</h2>
      <WhoChips who={who} onChange={setWho} />
      {who === 'everyone' &&
        members.value.some((member) => isArchived(member) || isCustomFront(member)) && (
          <p class="quiet">{memberExtStrings.reallyEveryone}</p>
        )}
      {hasSubgroups(groups.value, who) && <IncludeSubgroups value={isDeep} onChange={setDeep} />}
      {who === 'chosen' && (
        <div class="scrolling">
          <MemberPicker chosen={chosen} onChange={setChosen} />
        </div>
      )}
      <BulkPrivacyForm selected={selected} />
    </section>
  )
}

/** Number of groups shown until the list is expanded. */
const FIRST_GROUPS = 10

function WhoChips({ who, onChange }: { who: string; onChange: (who: string) => void }) {
  const [isExpanded, setExpanded] = useState(false)
  const shown = groups.value.filter(
    ({ uuid }, index) => isExpanded || index < FIRST_GROUPS || uuid === who,
  )
  return (
    <ChipGroup
      legend={privacyStrings.who}
      options={[
        ['everyone', privacyStrings.everyone],
        ...shown.map(({ uuid, name, display_name }) => [uuid, display_name || name] as const),
        ['chosen', privacyStrings.select],
      ]}
      value={who}
      onChange={onChange}
      more={
        shown.length < groups.value.length && (
          <button type="button" class="plain" onClick={() => setExpanded(true)}>
            {privacyStrings.moreGroups}
          </button>
        )
      }
    />
  )
}
