import { DAY, type Instant } from '../../model/core/time'

export interface Contact {
  /** Time of the last answer, by the server's clock. */
  readonly lastContact: Instant
  /** Server's clock minus the clock of this device. */
  readonly clockOffset: number
}

/** Time without contact after which the copy is deleted. */
const MAX_ABSENCE = 14 * DAY

/** Returns true if the last contact was too long ago; by the server's clock, as far as known. */
export function isExpired({ lastContact, clockOffset }: Contact, deviceTime: Instant): boolean {
  return deviceTime + clockOffset - lastContact > MAX_ABSENCE
}
