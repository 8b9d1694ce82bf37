import type { Instant } from '../../model/core/time'
import { fieldsOf, instantOf } from '../lib/time'
import { zone } from './store'

/** Time in fields, which have minutes only. */
export interface ExactTime {
  readonly date: string
  readonly time: string
  /** Exact timestamp (microseconds) until the fields are edited. */
  readonly timestamp: Instant | null
}

export function exactFieldsOf(timestamp: Instant): ExactTime {
  return { ...fieldsOf(timestamp, zone.value), timestamp }
}

/** Returns the time in the fields; an unchanged one keeps its exact timestamp. */
export function exactInstantOf({ date, time, timestamp }: ExactTime): Instant | null {
  if (timestamp !== null) {
    const fields = fieldsOf(timestamp, zone.value)
    if (fields.date === date && fields.time === time) return timestamp
  }
  return instantOf(date, time, zone.value)
}
