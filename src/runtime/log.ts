import { writeSync } from 'node:fs'
import type { LogLevel } from './config/config'

type LogFields = Record<string, string | number | boolean | null | undefined>

/** Structured log. Entries never contain tokens or request bodies. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  flush(): void
}

const levels: LogLevel[] = ['debug', 'info', 'warn', 'error']
/** Priorities of syslog. */
const priorities: Record<LogLevel, number> = { debug: 7, info: 6, warn: 4, error: 3 }
const FLUSH_AFTER_MS = 100
const FLUSH_AT = 500

interface Entry {
  at: number
  level: LogLevel
  message: string
  fields: LogFields
}

export function createLog(
  minimum: LogLevel,
  format: 'text' | 'json',
  write: (text: string) => void = writeToStandardError,
  /** Begins each line with its priority; the systemd journal parses and removes it. */
  hasPriorities = false,
): Log {
  const formatPlain = format === 'json' ? formatJson : formatText
  const formatEntry = hasPriorities
    ? (entry: Entry, iso: string) => `<${priorities[entry.level]}>${formatPlain(entry, iso)}`
    : formatPlain
  const isoOf = createIsoFormatter()
  const threshold = levels.indexOf(minimum)
  let entries: Entry[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  // Entries are formatted and written in batches: doing so in each request would cost 10 % of it.
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (entries.length === 0) return
    const text = entries.map((entry) => formatEntry(entry, isoOf(entry.at))).join('')
    entries = []
    write(text)
  }

  const add = (level: LogLevel, message: string, fields: LogFields = {}) => {
    if (levels.indexOf(level) < threshold) return
    entries.push({ at: Date.now(), level, message, fields })
    if (level === 'error' || entries.length >= FLUSH_AT) return flush()
    if (timer === undefined) {
      timer = setTimeout(flush, FLUSH_AFTER_MS)
      timer.unref()
    }
  }

  return {
    debug: (message, fields) => add('debug', message, fields),
    info: (message, fields) => add('info', message, fields),
    warn: (message, fields) => add('warn', message, fields),
    error: (message, fields) => add('error', message, fields),
    flush,
  }
}

function writeToStandardError(text: string): void {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(2, bytes, written)
    } catch (cause) {
      // Retry while the pipe is full. A pipe without a reader must not end the server.
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') return
    }
  }
}

/** Writes the start of the line itself: one object of all fields would take twice as long. */
function formatJson({ level, message, fields }: Entry, iso: string): string {
  const start = `{"time":"${iso}","level":"${level}","message":${JSON.stringify(message)}`
  const rest = JSON.stringify(fields).slice(1)
  return rest === '}' ? `${start}}\n` : `${start},${rest}\n`
}

/** Reuses the text of the last time, because many entries have the same millisecond. */
function createIsoFormatter(): (at: number) => string {
  let lastAt = Number.NaN
  let lastIso = ''
  return (at) => {
    if (at !== lastAt) lastIso = new Date(at).toISOString()
    lastAt = at
    return lastIso
  }
}

function formatText({ level, message, fields }: Entry, iso: string): string {
  const time = iso.slice(11, 23)
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${oneLine(String(value))}`)
    .join('')
  return `${time} ${level.padEnd(5)} ${oneLine(message)}${rest}\n`
}

/** Replaces control characters and line separators, which a client may put into a path. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?')
}
