import { SECOND } from '../../../model/core/time'
import { DEFAULT_LATCH_TIMEOUT } from '../../../model/systems/settings'
import { deviceZone } from '../../core/store'
import { formatDuration } from '../../lib/time'
import { findText, systemStrings } from '../../texts/texts'
import { common, Line, type Props } from './lines'

/** Time zone, with all zones known to this browser as suggestions. */
export function ZoneLine(props: Props) {
  const { form, name } = props
  const ownZone = deviceZone()
  return (
    <Line {...props}>
      <input {...common(props)} dir="ltr" list="zones" spellcheck={false} />
      <datalist id="zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {form.values[name] !== ownZone && (
        <div>
          <button type="button" class="chip" onClick={() => form.change(name, ownZone)}>
            {systemStrings.thisDevice(ownZone)}
          </button>
        </div>
      )}
    </Line>
  )
}

/** Select with the choices of the field table. */
export function ChoiceLine(props: Props & { titles?: Readonly<Record<string, string>> }) {
  const { form, name, titles = {} } = props
  const { value: _, ...rest } = common(props)
  return (
    <Line {...props}>
      <select {...rest}>
        {(form.entity.fields[name]?.choices ?? []).map((choice) => (
          <option key={choice} value={choice} selected={form.values[name] === choice}>
            {titles[choice] ?? findText(systemStrings.choices, choice)}
          </option>
        ))}
      </select>
    </Line>
  )
}

const HOUR = 3600
const commonTimeouts = [HOUR, 3 * HOUR, 12 * HOUR, 24 * HOUR, 72 * HOUR]

/** Latch timeout: common durations, and the current one if it is another. */
export function LatchLine(props: Props) {
  const { form, name } = props
  const now = form.values[name] as number | null
  const { value: _, onInput: __, ...rest } = common(props)
  const timeouts =
    now === null || now === 0 ? commonTimeouts : [...new Set([...commonTimeouts, now])]
  return (
    <Line {...props}>
      <select
        {...rest}
        onChange={({ currentTarget: { value } }) =>
          form.change(name, value === '' ? null : Number(value))
        }
      >
        <option value="" selected={now === null}>
          {systemStrings.latchDefault(formatDuration(DEFAULT_LATCH_TIMEOUT * SECOND))}
        </option>
        {timeouts
          .toSorted((a, b) => a - b)
          .map((seconds) => (
            <option key={seconds} value={seconds} selected={now === seconds}>
              {formatDuration(seconds * SECOND)}
            </option>
          ))}
        <option value="0" selected={now === 0}>
          {systemStrings.latchNever}
        </option>
      </select>
    </Line>
  )
}

const MAX_TEMPLATES = 3

/** A text area for each template. */
export function TemplatesLine(props: Props) {
  const { form, name } = props
  const texts = form.values[name] as readonly string[]
  const { value: _, onInput: __, id, ...rest } = common(props)
  const change = (changed: number, text: string) => {
    const next = Array.from({ length: MAX_TEMPLATES }, (_, index) =>
      index === changed ? text : (texts[index] ?? ''),
    )
    while (next.at(-1) === '') next.pop()
    form.change(name, next)
  }
  return (
    <Line {...props} isWide>
      {Array.from({ length: Math.min(MAX_TEMPLATES, texts.length + 1) }, (_, index) => (
        <textarea
          key={index}
          {...rest}
          id={index === 0 ? id : `${id}-${index}`}
          rows={3}
          aria-label={systemStrings.template(index + 1)}
          value={texts[index] ?? ''}
          onInput={({ currentTarget: { value } }) => change(index, value)}
        />
      ))}
    </Line>
  )
}
