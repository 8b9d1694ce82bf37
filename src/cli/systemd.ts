import { fstatSync } from 'node:fs'
import type { Log } from '../log'

/** What systemd tells the programs that it starts. */
export interface SystemdEnvironment {
  /** Where it wants to be told of being ready and of stopping; empty where nobody does. */
  readonly socket: string
  /** How often it wants a sign of life, in milliseconds; 0 for never. */
  readonly watchdogMs: number
  /** Whether what is said on standard error goes to its journal. */
  readonly hasJournal: boolean
}

export function readSystemdEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): SystemdEnvironment {
  const { NOTIFY_SOCKET = '', WATCHDOG_USEC, WATCHDOG_PID, JOURNAL_STREAM } = env
  // A child of the one that is watched is not watched.
  const isWatched = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === process.pid
  const watchdogMs = isWatched ? Number(WATCHDOG_USEC ?? 0) / 1000 : 0
  return {
    socket: NOTIFY_SOCKET,
    watchdogMs: Number.isFinite(watchdogMs) ? watchdogMs : 0,
    hasJournal: JOURNAL_STREAM !== undefined && JOURNAL_STREAM === standardError(),
  }
}

/** Device and number of the file: who was started by a service may have it led elsewhere. */
function standardError(): string {
  try {
    const { dev, ino } = fstatSync(2)
    return `${dev}:${ino}`
  } catch {
    return ''
  }
}

export interface SystemdNotifier {
  ready(status: string): void
  stopping(): void
}

/** Tells the supervisor how the server fares. What cannot be told keeps nobody from serving. */
export async function createSystemdNotifier(
  { socket, watchdogMs }: SystemdEnvironment,
  warn: Log['warn'],
): Promise<SystemdNotifier> {
  if (socket === '') return { ready: () => {}, stopping: () => {} }
  const send = await openChannel(socket).catch((cause: Error) => {
    warn('systemd cannot be told', { cause: cause.message })
    return () => {}
  })
  let timer: ReturnType<typeof setInterval> | undefined
  return {
    ready(status) {
      send(`READY=1\nSTATUS=${status}`)
      // A sign that requests get their turn. Trouble with the disk is told by /health: it would not
      // pass by starting again.
      if (watchdogMs > 0) timer = setInterval(() => send('WATCHDOG=1'), watchdogMs / 2)
      timer?.unref()
    },
    stopping() {
      // Stopping takes its time, and is bounded by other means.
      send('STOPPING=1\nSTATUS=Finishing what runs')
    },
  }
}

const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const LIBRARIES = ['libc.so.6', 'libc.so']

/** By the C library, because Bun has no datagrams between programs of one machine. */
async function openChannel(path: string): Promise<(text: string) => void> {
  const { dlopen, ptr } = await import('bun:ffi')
  const open = (name: string) =>
    dlopen(name, {
      socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
      sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
    })
  const { symbols } = firstOf(LIBRARIES, open)
  const descriptor = symbols.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
  if (descriptor < 0) throw new Error('there is no socket to be had')
  // A name with @ in front is none of a file.
  const name = Buffer.from(path.replace(/^@/, '\0'))
  const address = Buffer.concat([new Uint8Array(Uint16Array.of(AF_UNIX).buffer), name])
  const MSG_NOSIGNAL_DONTWAIT = 0x4040
  return (text) => {
    const bytes = Buffer.from(text)
    const length = bytes.length
    symbols.sendto(
      descriptor,
      ptr(bytes),
      length,
      MSG_NOSIGNAL_DONTWAIT,
      ptr(address),
      address.length,
    )
  }
}

function firstOf<T>(names: readonly string[], open: (name: string) => T): T {
  let last: unknown
  for (const name of names)
    try {
      return open(name)
    } catch (cause) {
      last = cause
    }
  throw last
}
