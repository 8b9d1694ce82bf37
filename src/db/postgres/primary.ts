import { promises as dns } from 'node:dns'
import type { StorageError } from '../types'
import type { Host } from './address'
import { type ConnectOptions, connectWithoutSettings } from './connections'
import { certificateError, codeOf, isRefusedByRule, lost, unusable } from './errors'
import { createPrimaryPool, type PrimaryPool } from './primaryPool'

/** Knows which of the hosts takes writes, and looks for it when that one is lost. */
export interface Primary {
  /** Throws while there is none. */
  current(): PrimaryPool
  /** Settles when there is one; for the first time, it is given up after a while. */
  discover(patienceMs?: number): Promise<PrimaryPool>
  /** Nothing comes from it any more. */
  abandon(era: PrimaryPool): void
  /** Called with each new one, before anybody asks it anything. */
  onFound(listener: (era: PrimaryPool) => void): void
  readonly host: Host | null
  close(): void
}

const PAUSE_MS = 100
/** For an answer that is on its way when the patience ends. */
const GRACE_MS = 500

export function createPrimary(options: ConnectOptions): Primary {
  const listeners: ((era: PrimaryPool) => void)[] = []
  let era: PrimaryPool | null = null
  let host: Host | null = null
  let searching: Promise<PrimaryPool> | null = null
  let isClosed = false

  const abandon = (ended: PrimaryPool) => {
    ended.end()
    if (era !== ended) return
    era = null
    if (!isClosed) searchOn()
  }

  const found = (at: Host): PrimaryPool => {
    const made: PrimaryPool = createPrimaryPool(options, at, () => abandon(made))
    era = made
    host = at
    for (const listener of listeners) listener(made)
    return made
  }

  /** Each host is asked again and again by itself: one that is gone holds up nobody. */
  const search = async (giveUpAt: number): Promise<PrimaryPool> => {
    const { hosts } = options.address
    const known = new Map<Host, ProbeResult>()
    const done = Promise.withResolvers<Host>()
    let isDone = false
    const askOn = async (host: Host) => {
      while (!isDone && !isClosed) {
        const examined = await probeHost(options, host)
        known.set(host, examined)
        if (examined.isPrimary) return done.resolve(host)
        const all = [...known.values()]
        const isPermanent = known.size === hosts.length && all.every((one) => one.isPermanent)
        if ((isPermanent && giveUpAt !== Infinity) || Date.now() > giveUpAt)
          return done.reject(explainAll(options, all))
        await Bun.sleep(PAUSE_MS)
      }
      done.reject(lost())
    }
    for (const host of hosts) void askOn(host)
    const late = Number.isFinite(giveUpAt)
      ? setTimeout(
          () => done.reject(explainAll(options, [...known.values()])),
          Math.max(0, giveUpAt - Date.now()) + GRACE_MS,
        )
      : undefined
    try {
      const host = await done.promise
      if (isClosed) throw lost()
      return found(host)
    } finally {
      isDone = true
      clearTimeout(late)
    }
  }

  const begin = (giveUpAt: number) => {
    searching ??= search(giveUpAt).finally(() => {
      searching = null
    })
    return searching
  }

  const searchOn = () => void begin(Infinity).catch(() => {})

  return {
    current() {
      if (era) return era
      throw lost()
    },
    async discover(patienceMs = Infinity) {
      return era ?? (await begin(Date.now() + patienceMs))
    },
    abandon,
    onFound: (listener) => void listeners.push(listener),
    get host() {
      return host
    },
    close() {
      isClosed = true
      era?.end()
      era = null
    },
  }
}

const WATCH_MS = 1_000
const MAX_MISSED_PROBES = 2

/** Long work of one connection; it is given up once the server answers no other one any more. */
export async function withLivenessCheck<T>(
  options: ConnectOptions,
  host: Host,
  work: Promise<T>,
): Promise<T> {
  let isDone = false
  const watch = async () => {
    for (let silences = 0; ; ) {
      await Bun.sleep(WATCH_MS)
      if (isDone) return
      const examined = await probeHost(options, host)
      // Once may be a server that is busy with that very work.
      silences = examined.isPrimary ? 0 : silences + 1
      if (silences === MAX_MISSED_PROBES && !isDone) throw explainAll(options, [examined])
    }
  }
  const silence = Promise.withResolvers<never>()
  watch().catch(silence.reject)
  return Promise.race([work, silence.promise]).finally(() => {
    isDone = true
  })
}

/** To connect and to be answered. */
const PROBE_LIMIT_MS = 4_000

interface ProbeResult {
  readonly host: Host
  readonly isPrimary: boolean
  /** Trying again would change nothing. */
  readonly isPermanent: boolean
  readonly cause?: unknown
}

async function probeHost(options: ConnectOptions, host: Host): Promise<ProbeResult> {
  const sql = connectWithoutSettings(options, host, 1)
  try {
    const asked = sql.unsafe('select pg_is_in_recovery() as is_standby')
    const [row] = await Promise.race([asked, Bun.sleep(PROBE_LIMIT_MS).then(noAnswer)])
    return { host, isPrimary: row?.is_standby === false, isPermanent: false }
  } catch (cause) {
    const isPermanent =
      /^(28|3D|0A|42|ERR_POSTGRES_TLS)/.test(codeOf(cause)) ||
      certificateError(cause, options.rootCert) !== null ||
      (codeOf(cause) !== SILENT && (await isUnknown(host)))
    return { host, isPrimary: false, isPermanent, cause }
  } finally {
    void sql.close({ timeout: 0 }).catch(() => {})
  }
}

/** It took the connection, and said nothing more: so its name is known. */
const SILENT = 'ERR_POSTGRES_CONNECTION_TIMEOUT_SILENT'

function noAnswer(): never {
  throw Object.assign(new Error('no answer'), { code: SILENT })
}

async function isUnknown({ host }: Host): Promise<boolean> {
  if (host.startsWith('[') || host.startsWith('/')) return false
  try {
    await dns.lookup(host)
    return false
  } catch {
    return true
  }
}

/** One line for the operator, without a password. */
function explainAll(options: ConnectOptions, asked: readonly ProbeResult[]): StorageError {
  const failed = asked.filter(({ cause }) => cause !== undefined)
  const [first] = failed.toSorted((one, other) => weightOf(one) - weightOf(other))
  return unusable(options.address.name, reasonOf(options, first))
}

/** What a server said itself goes before an unknown name, and that before silence. */
function weightOf({ cause, isPermanent }: ProbeResult): number {
  const isAnswer = !/^ERR_POSTGRES_(?!TLS)/.test(codeOf(cause))
  return isAnswer ? 0 : isPermanent ? 1 : 2
}

function reasonOf({ address, rootCert }: ConnectOptions, told: ProbeResult | undefined): string {
  if (!told) return 'none of its servers takes writes'
  const { database, user, sslmode } = address
  const code = codeOf(told.cause)
  const at = `${told.host.host}:${told.host.port}`
  if (sslmode === 'disable' && isRefusedByRule(told.cause))
    return `the server at ${at} lets ${user} in only with TLS: use sslmode=require`
  if (code.startsWith('28')) return `the server at ${at} does not let ${user} in (wrong password?)`
  const untrusted = certificateError(told.cause, rootCert)
  if (untrusted) return `the server at ${at} is not trusted: ${untrusted}`
  if (code === '3D000') return `there is no database ${database} on the server at ${at}`
  if (code.startsWith('ERR_POSTGRES_TLS')) return `the server at ${at} does not offer TLS as asked`
  if (told.isPermanent && code.startsWith('ERR_POSTGRES'))
    return `the host ${told.host.host} is not known`
  if (code.startsWith('ERR_POSTGRES')) return `nothing answers at ${at}`
  return `the server at ${at} says ${(told.cause as Error).message}`
}
