import { writeSync } from 'node:fs'
import type { LogLevel } from './config'

type LogFields = Record<string, string | number | boolean | null | undefined>

/** Where the program says what it does. Never a token, never a body. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Writes what is still buffered. */
  flush(): void
}

const levels: LogLevel[] = ['debug', 'info', 'warn', 'error']
/** As syslog counts them. */
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
  /** Whether each line begins with its priority, which the journal of systemd takes off. */
  hasPriorities = false,
): Log {
  const spellPlain = format === 'json' ? formatJson : formatText
  const spell = hasPriorities
    ? (entry: Entry, iso: string) => `<${priorities[entry.level]}>${spellPlain(entry, iso)}`
    : spellPlain
  const isoOf = createIsoFormatter()
  const threshold = levels.indexOf(minimum)
  let entries: Entry[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  // Many lines are spelled and written at once: doing so in each request would cost a tenth of it.
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (entries.length === 0) return
    const text = entries.map((entry) => spell(entry, isoOf(entry.at))).join('')
    entries = []
    write(text)
  }

  const put = (level: LogLevel, message: string, fields: LogFields = {}) => {
    if (levels.indexOf(level) < threshold) return
    entries.push({ at: Date.now(), level, message, fields })
    if (level === 'error' || entries.length >= FLUSH_AT) return flush()
    if (timer === undefined) {
      timer = setTimeout(flush, FLUSH_AFTER_MS)
      timer.unref()
    }
  }

  return {
    debug: (message, fields) => put('debug', message, fields),
    info: (message, fields) => put('info', message, fields),
    warn: (message, fields) => put('warn', message, fields),
    error: (message, fields) => put('error', message, fields),
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
      // A full pipe is waited for; one that nobody reads any more must not end the server.
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') return
    }
  }
}

/** Joined by hand: an object made only to be spelled would take twice as long. */
function formatJson({ level, message, fields }: Entry, iso: string): string {
  let line = `{"time":"${iso}","level":"${level}","message":${formatValue(message)}`
  for (const key in fields) {
    const value = fields[key]
    if (value !== undefined) line += `,"${key}":${formatValue(value)}`
  }
  return `${line}}\n`
}

/** Most need nothing but to be put between quotation marks. */
function formatValue(value: string | number | boolean | null): string {
  return typeof value === 'string' && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
}

/** Printable, and neither a quotation mark nor a backslash. */
const PLAIN = /^[ !#-[\]-~]*$/

/** Many lines are of the same millisecond. */
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

/** A line of the log stays one line, whatever a client puts into a path. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?')
}
