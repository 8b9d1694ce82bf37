import type { HistoryView } from '../../core/address'
import { type HistoryQuery, historyHash } from '../../core/address'
import { goTo } from '../../core/route'
import { members, zone } from '../../core/store'
import { now } from '../../lib/clock'
import { fieldsOf } from '../../lib/time'
import { historyStrings } from '../../texts/texts'
import { listSections } from '../members/memberSections'

interface Props {
  view: HistoryView | 'day'
  query: HistoryQuery
}

/** Chooses the day that History begins with, and one member. */
export function HistoryFilter({ view, query }: Props) {
  const { days: _, at: __, ...kept } = query
  const show = (patch: HistoryQuery) => goTo(historyHash(view, { ...kept, ...patch }))
  const { date: shownDate, ...withoutDate } = kept
  const { member, ...withoutMember } = kept
  const today = fieldsOf(now.value, zone.value).date
  return (
    <div class="time-fields">
      {view !== 'day' && (
        <label class="field">
          {historyStrings.goToDate}
          <input
            type="date"
            max={today}
            value={shownDate ?? ''}
            onChange={({ currentTarget: { value } }) =>
              value === '' ? goTo(historyHash(view, withoutDate)) : show({ date: value })
            }
          />
        </label>
      )}
      <label class="field">
        {historyStrings.who}
        <select
          value={member ?? ''}
          onChange={({ currentTarget: { value } }) =>
            value === '' ? goTo(historyHash(view, withoutMember)) : show({ member: value })
          }
        >
          <option value="">{historyStrings.everyone}</option>
          {listSections(members.value).map(([heading, inside]) => {
            const options = inside.map((option) => (
              <option key={option.id} value={option.id}>
                {option.display_name || option.name}
              </option>
            ))
            if (heading === '') return options
            return (
              <optgroup key={heading} label={heading}>
                {options}
              </optgroup>
            )
          })}
        </select>
      </label>
    </div>
  )
}
