import { zoneOfOffset } from '../../model/insights/timeZone'

/**
 * Returns the name of a time zone that a file of PluralKit names by its distance from UTC, such as
 * `UTC+05` or `GMT+5:30`; other values as they are.
 */
export function parseOffsetZone(value: unknown): unknown {
  return typeof value === 'string' ? (zoneOfOffset(value) ?? value) : value
}
