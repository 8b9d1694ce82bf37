import type { Instant } from '../../../model/core/time'
import type { FrontNote } from '../../api/types'
import { formatter } from '../../core/appearance'
import { switchDraft } from '../../core/drafts'
import type { Switch, Switches } from '../../core/history'
import { membersById, nameOf, switches } from '../../core/store'
import { now } from '../../lib/clock'
import { formatDuration } from '../../lib/time'
import { historyStrings, listNames, strings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Icon } from '../../ui/icon'
import { FrontNoteLines } from './frontNoteRows'
import { draftOf } from './switchSheet'

interface Props {
  shown: Switches
  /** Time in the day whose switches show no date; without it, none shows one. */
  dayOf?: Instant | null
  /** Status texts and comments to show with their switches. */
  notes?: readonly FrontNote[]
}

/** Switches, newest first, each with a button to edit it. */
export function SwitchRows({ shown, dayOf = null, notes = [] }: Props) {
  return (
    <ul class="switches">
      {shown.map((entry) => (
        <SwitchRow key={entry.id} entry={entry} dayOf={dayOf} notes={notes} />
      ))}
    </ul>
  )
}

interface RowProps {
  entry: Switch
  dayOf: Instant | null
  notes: readonly FrontNote[]
}

function SwitchRow({ entry, dayOf, notes }: RowProps) {
  const next = switches.value[switches.value.indexOf(entry) - 1]
  const length = formatDuration((next?.timestamp ?? now.value) - entry.timestamp)
  const names =
    entry.members.length === 0 ? strings.nobodyShort : listNames(entry.members.map(nameOf))
  const edit = () => {
    switchDraft.value = draftOf(entry)
  }
  const { time, moment } = formatter.value
  const shownTime = time(entry.timestamp)
  const at = dayOf === null ? shownTime : moment(entry.timestamp, dayOf)
  return (
    <li>
      <span class={at === shownTime ? 'at' : 'at whole-row'}>{at}</span>
      <span class="avatars">
        {entry.members.slice(0, 3).map((id) => (
          <Avatar key={id} of={membersById.value.get(id)} size="s" />
        ))}
      </span>
      <span class="about">
        <bdi class="name">{names}</bdi>
        <br />
        <span class="quiet small">{next ? length : historyStrings.soFar(length)}</span>
      </span>
      <button
        type="button"
        class="round"
        aria-label={historyStrings.editNamed(moment(entry.timestamp, now.value), names)}
        title={historyStrings.edit}
        onClick={edit}
      >
        <Icon name="edit" />
      </button>
      <FrontNoteLines entry={entry} notes={notes} />
    </li>
  )
}
