import { sharingStrings } from '../../texts/texts'
import { type FieldState, TextField } from '../../ui/form/textField'

interface Props extends FieldState {
  hint: string
  placeholder?: string
}

/** Own name for a friend. */
export function FriendNameField({ placeholder = '', ...field }: Props) {
  return <TextField {...field} label={sharingStrings.ownName} input={{ placeholder }} />
}
