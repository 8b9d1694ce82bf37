/** Time zones without summer time whose distance from UTC is no whole number of hours. */
const partHours: Readonly<Record<string, string>> = {
  '-9:30': 'Pacific/Marquesas',
  '+3:30': 'Asia/Tehran',
  '+4:30': 'Asia/Kabul',
  '+5:30': 'Asia/Kolkata',
  '+5:45': 'Asia/Kathmandu',
  '+6:30': 'Asia/Yangon',
  '+8:45': 'Australia/Eucla',
  '+9:30': 'Australia/Darwin',
}

/**
 * Returns the name of a time zone that a file of PluralKit names by its distance from UTC, such as
 * `UTC+05` or `GMT+5:30`; other values as they are.
 */
export function parseOffsetZone(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const [, sign, digits, minutes = '00'] =
    /^(?:UTC|GMT)([+-])(\d{1,2})(?::?([0-5]\d))?$/i.exec(value.trim()) ?? []
  if (sign === undefined) return value
  const hours = Number(digits)
  if (minutes !== '00') return partHours[`${sign}${hours}:${minutes}`] ?? value
  if (hours === 0) return 'UTC'
  // The signs of these names are those of POSIX: west of Greenwich is positive.
  return `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`
}
