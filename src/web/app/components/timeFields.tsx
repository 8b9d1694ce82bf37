import { strings } from '../strings'

interface Fields {
  date: string
  time: string
}

interface Props extends Fields {
  problem: string
  onChange: (fields: Fields) => void
}

/** A moment, in the fields that the device has for it; what is wrong with it stands right below. */
export function TimeFields({ date, time, problem, onChange }: Props) {
  return (
    <div class="time-fields">
      <label class="field">
        {strings.time}
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
        {strings.date}
        <input
          type="date"
          value={date}
          required
          aria-invalid={problem !== ''}
          aria-describedby="time-problem"
          onInput={(event) => onChange({ date: event.currentTarget.value, time })}
        />
      </label>
      <p id="time-problem" class="problem" role="alert">
        {problem}
      </p>
    </div>
  )
}
