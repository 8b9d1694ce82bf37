import { isArchived, isCustomFront, type Member } from '../../api/types'
import { displayName, front, members } from '../../core/store'
import { strings } from '../../texts/texts'

interface Props {
  label: string
  /** Text of the choice of no member. */
  none: string
  /** UUID; '' for no member. */
  value: string
  onChange: (uuid: string) => void
  /** Shows the label beside the choice. */
  isInline?: boolean
}

/** Choice of one member who can write, those who are here first. */
export function MemberSelect({ label, none, value, onChange, isInline = false }: Props) {
  const here = front.value?.members ?? []
  const choices = members.value.filter(
    (member) => member.uuid === value || !(isCustomFront(member) || isArchived(member)),
  )
  const fronters = choices.filter(({ id }) => here.includes(id))
  const others = choices.filter(({ id }) => !here.includes(id))
  return (
    <label class={isInline ? 'sorting' : 'field'}>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{none}</option>
        {fronters.length > 0 && (
          <optgroup label={strings.hereNow}>{fronters.map(renderOption)}</optgroup>
        )}
        {others.map(renderOption)}
      </select>
    </label>
  )
}

function renderOption(member: Member) {
  return (
    <option key={member.uuid} value={member.uuid}>
      {displayName(member)}
    </option>
  )
}
