import { fstatSync } from 'node:fs'
import type { Log } from '../../runtime/log'
import { type Clock, systemClock } from '../../runtime/timers/clock'

export interface SystemdEnvironment {
  /** Path of the notification socket; empty if there is none. */
  readonly socket: string
  /** Watchdog interval in milliseconds; 0 if there is none. */
  readonly watchdogMs: number
  /** True if standard error goes to the journal. */
  readonly hasJournal: boolean
}

export function readSystemdEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): SystemdEnvironment {
  const { NOTIFY_SOCKET = '', WATCHDOG_USEC, WATCHDOG_PID, JOURNAL_STREAM } = env
  // A child process inherits the variables, but systemd does not watch it.
  const isWatched = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === process.pid
  const watchdogMs = isWatched ? Number(WATCHDOG_USEC ?? 0) / 1000 : 0
  return {
    socket: NOTIFY_SOCKET,
    watchdogMs: Number.isFinite(watchdogMs) ? watchdogMs : 0,
    hasJournal: JOURNAL_STREAM !== undefined && JOURNAL_STREAM === standardError(),
  }
}

/** Device and inode of standard error: a process inherits JOURNAL_STREAM even if its output is redirected. */
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

/** Notifies systemd of readiness, liveness and stopping. A failure does not keep the server from serving. */
export async function createSystemdNotifier(
  { socket, watchdogMs }: SystemdEnvironment,
  warn: Log['warn'],
  clock: Clock = systemClock,
): Promise<SystemdNotifier> {
  if (socket === '') return { ready: () => {}, stopping: () => {} }
  const send = await openChannel(socket).catch((cause: Error) => {
    warn('systemd notification failed', { cause: cause.message })
    return () => {}
  })
  return {
    ready(status) {
      send(`READY=1\nSTATUS=${status}`)
      // Shows that the event loop runs. Problems of the disk are left to /health, because a restart
      // would not solve them.
      if (watchdogMs > 0) clock.setInterval(() => send('WATCHDOG=1'), watchdogMs / 2).unref()
    },
    stopping() {
      // The watchdog timer stays active; the duration of stopping is bounded elsewhere.
      send('STOPPING=1\nSTATUS=Finishing requests')
    },
  }
}

const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const LIBRARIES = ['libc.so.6', 'libc.so']

/** Opens the socket through the C library, because Bun has no Unix datagram sockets. */
async function openChannel(path: string): Promise<(text: string) => void> {
  const { dlopen, ptr } = await import('bun:ffi')
  const open = (name: string) =>
    dlopen(name, {
      socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
      sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
    })
  const { symbols } = firstOf(LIBRARIES, open)
  const descriptor = symbols.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
  if (descriptor < 0) throw new Error('cannot create a socket')
  // A leading @ means an abstract socket.
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
