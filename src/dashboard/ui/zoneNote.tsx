import { formatter } from '../core/appearance'
import { isForeignZone, zone } from '../core/store'
import { now } from '../lib/clock'
import { strings } from '../texts/texts'

/** Names the time zone of the system where it is not the device's, because times are in it. */
export function ZoneNote() {
  if (!isForeignZone.value) return null
  return (
    <p class="quiet small zone-note">
      {strings.timesIn(zone.value, formatter.value.time(now.value))}
    </p>
  )
}
