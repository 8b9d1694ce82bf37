import { sharingStrings } from '../../texts/texts'

interface Props {
  hint: string
  value: string
  placeholder?: string
  onChange: (value: string) => void
}

/** Maximum length of the own name for a friend. */
const MAX_NAME = 100

/** Own name for a friend. */
export function FriendNameField({ hint, value, placeholder = '', onChange }: Props) {
  return (
    <div class="field">
      <label for="friend-name">{sharingStrings.ownName}</label>
      <input
        id="friend-name"
        dir="auto"
        autocomplete="off"
        maxLength={MAX_NAME}
        value={value}
        placeholder={placeholder}
        aria-describedby="friend-name-more"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <p id="friend-name-more" class="quiet small">
        {hint}
      </p>
    </div>
  )
}
