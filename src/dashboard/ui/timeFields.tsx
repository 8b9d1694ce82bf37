import { strings } from '../texts/texts'
import { ProblemText } from './problemText'
import { ZoneNote } from './zoneNote'

interface Fields {
  date: string
  time: string
}

interface Props extends Fields {
  problem: string
  labels?: { readonly time: string; readonly date: string }
  onChange: (fields: Fields) => void
}

/** Native time and date inputs with a validation message. */
export function TimeFields({ date, time, problem, labels = strings, onChange }: Props) {
  return (
    <div class="time-fields">
      <label class="field">
        {labels.time}
        <input
          type="time"
          value={time}
          required
          aria-invalid={problem !== ''}
          aria-describedby="time-problem"
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
          aria-describedby="time-problem"
          onInput={(event) => onChange({ date: event.currentTarget.value, time })}
        />
      </label>
      <ZoneNote />
      <ProblemText id="time-problem" text={problem} />
    </div>
  )
}
