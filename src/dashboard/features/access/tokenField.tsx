import { strings } from '../../texts/texts'
import { type FieldState, TextField } from '../../ui/form/textField'

interface Props extends FieldState {
  /** Allows or prevents that a password manager fills it in. */
  autocomplete: 'current-password' | 'off'
}

/** Password input for a token. */
export function TokenField({ autocomplete, ...field }: Props) {
  return (
    <TextField
      {...field}
      label={strings.token}
      input={{ type: 'password', autocomplete, spellcheck: false }}
    />
  )
}
