import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../model/core/time'

/** Formats times, sizes and names for a terminal. */

/** Replaces control characters, which could move the cursor. */
export function printable(name: string): string {
  return name.replace(/\p{Cc}+/gu, ' ')
}

export function formatTime(at: Instant, zone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  return format.format(at / 1000)
}

/** Formats a duration in its two largest units. */
export function formatDuration(micros: number): string {
  const units = [
    [DAY, 'd'],
    [HOUR, 'h'],
    [MINUTE, 'min'],
    [SECOND, 's'],
  ] as const
  const first = units.findIndex(([size]) => micros >= size)
  if (first === -1) return '0 s'
  let rest = micros
  const parts = units.slice(first, first + 2).flatMap(([size, unit]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count > 0 ? [`${count} ${unit}`] : []
  })
  return parts.join(' ')
}

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), SIZES.length - 1)
  const size = bytes / 1024 ** power
  return `${power === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${SIZES[power]}`
}

/** Formats a number with commas between the thousands. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** Formats a number with its noun in singular or plural. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
