import { useState } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import { formatter } from '../../core/appearance'
import { now } from '../../lib/clock'
import { strings, systemStrings } from '../../texts/texts'

export interface Delivery {
  readonly event_id: number | null
  readonly type: string
  readonly at: string
  readonly status: number | null
  readonly error: string | null
  readonly attempt: number
}

const FIRST_SHOWN = 8

/** Recent webhook deliveries and their responses. */
export function Deliveries({ all }: { all: readonly Delivery[] }) {
  const [isExpanded, setExpanded] = useState(false)
  const shown = isExpanded ? all : all.slice(0, FIRST_SHOWN)
  return (
    <>
      <h3>{systemStrings.log}</h3>
      {all.length === 0 ? (
        <p class="quiet">{systemStrings.noDeliveries}</p>
      ) : (
        <table class="log">
          <thead>
            <tr>
              <th scope="col">{systemStrings.when}</th>
              <th scope="col">{systemStrings.what}</th>
              <th scope="col">{systemStrings.answer}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ type, at, status, error, attempt }, index) => (
              <tr key={`${at} ${index}`}>
                <td>{formatter.value.moment(parseInstant(at) ?? now.value, now.value)}</td>
                <td>{type}</td>
                <td class={isSuccess(status) ? '' : 'problem'}>
                  {attempt > 1
                    ? systemStrings.attempt(String(status ?? error), attempt)
                    : (status ?? error)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!isExpanded && all.length > FIRST_SHOWN && (
        <button type="button" class="plain" onClick={() => setExpanded(true)}>
          {strings.showMore}
        </button>
      )}
    </>
  )
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}
