import type { Coded, ValueArgs } from './coded'
import type { ReasonCode, reasonMessages } from './reasonMessages'

/** Builds a reason with values; one without is its code alone. */
export function reason<C extends ReasonCode>(
  code: C,
  ...[values]: ValueArgs<(typeof reasonMessages)[C]>
): Coded<C> {
  return { code, values: values ?? {} }
}
