import { isTimezone } from '../../model/core/validation'
import { zoneOfOffset } from '../../model/insights/timeZone'

/** Abbreviations that people use, with the largest city of each. */
const abbreviations: Readonly<Record<string, string>> = {
  akst: 'America/Anchorage',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  pt: 'America/Los_Angeles',
  mst: 'America/Denver',
  mdt: 'America/Denver',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  est: 'America/New_York',
  edt: 'America/New_York',
  et: 'America/New_York',
  ast: 'America/Halifax',
  brt: 'America/Sao_Paulo',
  bst: 'Europe/London',
  cet: 'Europe/Berlin',
  cest: 'Europe/Berlin',
  eet: 'Europe/Athens',
  eest: 'Europe/Athens',
  msk: 'Europe/Moscow',
  jst: 'Asia/Tokyo',
  kst: 'Asia/Seoul',
  awst: 'Australia/Perth',
  acst: 'Australia/Adelaide',
  aest: 'Australia/Sydney',
  aedt: 'Australia/Sydney',
  nzst: 'Pacific/Auckland',
  nzdt: 'Pacific/Auckland',
}

/** Words for countries besides their names in English and their codes. */
const countryWords: Readonly<Record<string, string>> = {
  uk: 'GB',
  'great britain': 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  usa: 'US',
  america: 'US',
  holland: 'NL',
  turkey: 'TR',
  czechia: 'CZ',
}

/**
 * Finds the time zones that a text means: the name of a zone, a city, an abbreviation, an offset such
 * as `UTC+5`, or a country by name, code or flag. A country may have several.
 */
export function findZones(text: string): readonly string[] {
  const typed = text.trim()
  const folded = fold(typed)
  const offset = zoneOfOffset(typed)
  if (offset !== null) return [offset]
  const abbreviated = abbreviations[folded]
  if (abbreviated !== undefined) return [abbreviated]
  if (isTimezone(typed))
    return [new Intl.DateTimeFormat('en', { timeZone: typed }).resolvedOptions().timeZone]
  const code = countryOf(typed)
  if (code !== null) return zonesOf(code)
  const all = Intl.supportedValuesOf('timeZone')
  const cities = all.filter((zone) => fold(zone.split('/').at(-1) ?? '') === folded)
  if (cities.length > 0) return cities
  return all.filter((zone) => fold(zone) === folded)
}

function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .replace(/[\s_]+/g, ' ')
    .trim()
}

/** Returns the code of a country that is named, abbreviated or shown as its flag. */
function countryOf(text: string): string | null {
  const letters = [...text].map((letter) => (letter.codePointAt(0) ?? 0) - FLAG_A)
  if (letters.length === 2 && letters.every((letter) => letter >= 0 && letter < 26))
    return String.fromCharCode(...letters.map((letter) => letter + A))
  const folded = fold(text)
  const word = countryWords[folded]
  if (word !== undefined) return word
  if (/^[a-z]{2}$/.test(folded)) return folded.toUpperCase()
  return countriesByName().get(folded) ?? null
}

const A = 65
/** Regional indicator A; the flag of a country is its two letters as such indicators. */
const FLAG_A = 0x1f1e6

function countriesByName(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const map = new Map<string, string>()
  for (let first = A; first < A + 26; first++)
    for (let second = A; second < A + 26; second++) {
      const code = String.fromCharCode(first, second)
      const name = names.of(code)
      if (name !== undefined) map.set(fold(name), code)
    }
  return map
}

function zonesOf(country: string): readonly string[] {
  const locale: Intl.Locale & { getTimeZones?(): readonly string[] | undefined } = new Intl.Locale(
    `und-${country}`,
  )
  return locale.getTimeZones?.() ?? []
}

/** Keeps one zone of those with the same time all year, the ones that most people know first. */
export function distinctZones(zones: readonly string[], atMs: number): readonly string[] {
  const halfYear = 182 * 86_400_000
  const offsetsOf = (zone: string) =>
    [atMs, atMs + halfYear].map((ms) => localTime(zone, ms, 'shortOffset')).join()
  const byOffset = new Map<string, string>()
  const commonZones = new Set(Object.values(abbreviations))
  const ordered = zones.toSorted(
    (zone, other) => Number(commonZones.has(other)) - Number(commonZones.has(zone)),
  )
  for (const zone of ordered) {
    const offsets = offsetsOf(zone)
    if (!byOffset.has(offsets)) byOffset.set(offsets, zone)
  }
  return [...byOffset.values()]
}

function localTime(timeZone: string, atMs: number, timeZoneName: 'shortOffset'): string {
  return (
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName })
      .formatToParts(atMs)
      .find(({ type }) => type === 'timeZoneName')?.value ?? ''
  )
}

/** Formats the time of the day in a zone, such as `18:54`. */
export function timeIn(timeZone: string, atMs: number): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(
    atMs,
  )
}
