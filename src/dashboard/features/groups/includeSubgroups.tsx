import { listStrings } from '../../texts/texts'

interface Props {
  value: boolean
  onChange: (value: boolean) => void
}

/** Checkbox below a choice of groups. Members of a subgroup are not members of its parent. */
export function IncludeSubgroups({ value, onChange }: Props) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {listStrings.includeSubgroups}
    </label>
  )
}
