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
      <label class="field">
        {labels.time}
        <input
          type="time"
          value={time}
          required
          aria-invalid={problem !== ''}
          aria-describedby={`${name}-problem`}
          onInput={(event) => onChange({ date, time: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        {labels.date}
        <input
          type="date"
          value={date}
          required
          aria-invalid={problem !== ''}
          aria-describedby={`${name}-problem`}
          onInput={(event) => onChange({ date: event.currentTarget.value, time })}
        />
      </label>
      <ZoneNote />
      <ProblemText id={`${name}-problem`} text={problem} />
    </div>
  )
}
