import { strings } from '../../texts/texts'
import { ProblemText } from '../../ui/problemText'

interface Props {
  id: string
  /** Allows or prevents that a password manager fills it in. */
  autocomplete: 'current-password' | 'off'
  value: string
  problem: string
  onChange: (value: string) => void
}

/** Password input for a token. */
export function TokenField({ id, autocomplete, value, problem, onChange }: Props) {
  return (
    <div class="field">
      <label for={id}>{strings.token}</label>
      <input
        id={id}
        type="password"
        autocomplete={autocomplete}
        spellcheck={false}
        value={value}
        aria-invalid={problem !== ''}
        aria-describedby={`${id}-problem`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <ProblemText id={`${id}-problem`} text={problem} />
    </div>
  )
}
