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
const FLUSH_AFTER_MS = 100
const FLUSH_AT = 64 * 1024

export function createLog(
  least: LogLevel,
  format: 'text' | 'json',
  write: (text: string) => void = writeToStandardError,
): Log {
  const spell = format === 'json' ? spellJson : spellText
  let buffer = ''
  let timer: ReturnType<typeof setTimeout> | undefined

  // One write for many lines: a system call per request would cost a tenth of the speed.
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (buffer === '') return
    const text = buffer
    buffer = ''
    write(text)
  }

  const put = (level: LogLevel, message: string, fields: LogFields = {}) => {
    if (levels.indexOf(level) < levels.indexOf(least)) return
    buffer += spell(level, message, fields)
    if (level === 'error' || buffer.length > FLUSH_AT) return flush()
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

function spellJson(level: LogLevel, message: string, fields: LogFields): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`
}

function spellText(level: LogLevel, message: string, fields: LogFields): string {
  const time = new Date().toISOString().slice(11, 23)
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
