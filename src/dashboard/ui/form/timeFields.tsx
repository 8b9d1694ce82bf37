import { strings } from '../../texts/texts'
import { ProblemText } from '../problemText'
import { ZoneNote } from '../zoneNote'

interface Fields {
  date: string
  time: string
}

interface Props extends Fields {
  /** Part of the ID of the problem, where a form has several of them. */
  name?: string
  problem: string
  labels?: { readonly time: string; readonly date: string }
  onChange: (fields: Fields) => void
}

/** Native time and date inputs with a validation message. */
export function TimeFields({
  name = 'time',
  date,
  time,
  problem,
  labels = strings,
  onChange,
}: Props) {
  return (
    <div class="time-fields">
      {(['time', 'date'] as const).map((key) => (
        <label key={key} class="field">
          {labels[key]}
          <input
            type={key}
            value={key === 'time' ? time : date}
            required
            aria-invalid={problem !== ''}
            aria-describedby={`${name}-problem`}
            onInput={(event) => onChange({ date, time, [key]: event.currentTarget.value })}
          />
        </label>
      ))}
      <ZoneNote />
      <ProblemText id={`${name}-problem`} text={problem} />
    </div>
  )
}
