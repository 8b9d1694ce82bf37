import { promises as dns } from 'node:dns'
import { withTimeout } from '../../runtime/timers/withTimeout'
import type { StorageError } from '../types'
import type { Host } from './address'
import { type ConnectOptions, connectWithoutSettings } from './connections'
import { certificateError, codeOf, isRefusedByRule, lost, unusable } from './errors'
import { createPrimaryPool, type PrimaryPool } from './primaryPool'

/** Finds the host that accepts writes, and searches again when it is lost. */
export interface Primary {
  /** Returns the pool of the current primary; throws if there is none. */
  current(): PrimaryPool
  /** Waits for a primary, at most `timeoutMs`. */
  discover(timeoutMs?: number): Promise<PrimaryPool>
  /** Closes the pool of a primary that does not answer, and searches for another. */
  abandon(pool: PrimaryPool): void
  /** Calls the listener with each new pool before its first query. */
  onFound(listener: (pool: PrimaryPool) => void): void
  readonly host: Host | null
  close(): void
}

const RETRY_PAUSE_MS = 100
/** Extra time for an answer that is under way when the time limit ends. */
const GRACE_MS = 500

export function createPrimary(options: ConnectOptions): Primary {
  const { clock } = options
  const listeners: ((pool: PrimaryPool) => void)[] = []
  let pool: PrimaryPool | null = null
  let host: Host | null = null
  let searching: Promise<PrimaryPool> | null = null
  let isClosed = false

  const abandon = (ended: PrimaryPool) => {
    ended.end()
    if (pool !== ended) return
    pool = null
    if (!isClosed) searchForever()
  }

  const usePrimary = (newHost: Host): PrimaryPool => {
    const newPool: PrimaryPool = createPrimaryPool(options, newHost, () => abandon(newPool))
    pool = newPool
    host = newHost
    for (const listener of listeners) listener(newPool)
    return newPool
  }

  /** Probes each host repeatedly and independently, so that a dead host does not delay the others. */
  const search = async (deadline: number): Promise<PrimaryPool> => {
    const { hosts } = options.address
    const results = new Map<Host, ProbeResult>()
    const done = Promise.withResolvers<Host>()
    let isDone = false
    const probeRepeatedly = async (host: Host) => {
      while (!isDone && !isClosed) {
        const result = await probeHost(options, host)
        results.set(host, result)
        if (result.isPrimary) return done.resolve(host)
        const all = [...results.values()]
        const isPermanent =
          results.size === hosts.length && all.every((probed) => probed.isPermanent)
        if ((isPermanent && deadline !== Infinity) || clock.monotonic() > deadline)
          return done.reject(explainAll(options, all))
        await clock.sleep(RETRY_PAUSE_MS)
      }
      done.reject(lost())
    }
    for (const host of hosts) void probeRepeatedly(host)
    const timer = Number.isFinite(deadline)
      ? clock.setTimeout(
          () => done.reject(explainAll(options, [...results.values()])),
          Math.max(0, deadline - clock.monotonic()) + GRACE_MS,
        )
      : undefined
    try {
      const host = await done.promise
      if (isClosed) throw lost()
      return usePrimary(host)
    } finally {
      isDone = true
      timer?.stop()
    }
  }

  const startSearch = (deadline: number) => {
    searching ??= search(deadline).finally(() => {
      searching = null
    })
    return searching
  }

  const searchForever = () => void startSearch(Infinity).catch(() => {})

  return {
    current() {
      if (pool) return pool
      throw lost()
    },
    async discover(timeoutMs = Infinity) {
      return pool ?? (await startSearch(clock.monotonic() + timeoutMs))
    },
    abandon,
    onFound: (listener) => void listeners.push(listener),
    get host() {
      return host
    },
    close() {
      isClosed = true
      pool?.end()
      pool = null
    },
  }
}

const CHECK_INTERVAL_MS = 1_000
const MAX_MISSED_PROBES = 2

/** Awaits long work of one connection; fails if the server stops answering other connections. */
export async function withLivenessCheck<T>(
  options: ConnectOptions,
  host: Host,
  work: Promise<T>,
): Promise<T> {
  let isDone = false
  const probeUntilDone = async () => {
    for (let misses = 0; ; ) {
      await options.clock.sleep(CHECK_INTERVAL_MS)
      if (isDone) return
      const result = await probeHost(options, host)
      // A single miss may be a server that is busy with this work.
      misses = result.isPrimary ? 0 : misses + 1
      if (misses === MAX_MISSED_PROBES && !isDone) throw explainAll(options, [result])
    }
  }
  const failure = Promise.withResolvers<never>()
  probeUntilDone().catch(failure.reject)
  return Promise.race([work, failure.promise]).finally(() => {
    isDone = true
  })
}

/** Time limit for connecting and for the answer. */
const PROBE_LIMIT_MS = 4_000

interface ProbeResult {
  readonly host: Host
  readonly isPrimary: boolean
  /** True if a retry would give the same result. */
  readonly isPermanent: boolean
  readonly cause?: unknown
}

async function probeHost(options: ConnectOptions, host: Host): Promise<ProbeResult> {
  const sql = connectWithoutSettings(options, host, 1)
  try {
    const answer = sql.unsafe('select pg_is_in_recovery() as is_standby')
    const [row] = await withTimeout(answer, PROBE_LIMIT_MS, throwNoAnswer, options.clock)
    return { host, isPrimary: row?.is_standby === false, isPermanent: false }
  } catch (cause) {
    const isPermanent =
      /^(28|3D|0A|42|ERR_POSTGRES_TLS)/.test(codeOf(cause)) ||
      certificateError(cause, options.rootCert) !== null ||
      (codeOf(cause) !== NO_ANSWER && (await isUnknownHost(host)))
    return { host, isPrimary: false, isPermanent, cause }
  } finally {
    void sql.close({ timeout: 0 }).catch(() => {})
  }
}

/** The host accepted the connection but did not answer, so its name was resolved. */
const NO_ANSWER = 'ERR_POSTGRES_CONNECTION_TIMEOUT_SILENT'

function throwNoAnswer(): never {
  throw Object.assign(new Error('no answer'), { code: NO_ANSWER })
}

async function isUnknownHost({ host }: Host): Promise<boolean> {
  if (host.startsWith('[') || host.startsWith('/')) return false
  try {
    await dns.lookup(host)
    return false
  } catch {
    return true
  }
}

/** Describes the failed probes in one line for the operator, without the password. */
function explainAll(options: ConnectOptions, probed: readonly ProbeResult[]): StorageError {
  const failed = probed.filter(({ cause }) => cause !== undefined)
  const [first] = failed.toSorted((a, b) => rankOf(a) - rankOf(b))
  return unusable(options.address.name, reasonOf(options, first))
}

/** Ranks errors: first those that a server reported, then unknown hosts, then missing answers. */
function rankOf({ cause, isPermanent }: ProbeResult): number {
  const isAnswer = !/^ERR_POSTGRES_(?!TLS)/.test(codeOf(cause))
  return isAnswer ? 0 : isPermanent ? 1 : 2
}

function reasonOf({ address, rootCert }: ConnectOptions, result: ProbeResult | undefined): string {
  if (!result) return 'none of its servers accepts writes'
  const { database, user, sslmode } = address
  const code = codeOf(result.cause)
  const hostAndPort = `${result.host.host}:${result.host.port}`
  if (sslmode === 'disable' && isRefusedByRule(result.cause))
    return `the server at ${hostAndPort} accepts ${user} only with TLS: use sslmode=require`
  if (code.startsWith('28'))
    return `the server at ${hostAndPort} rejects the login of ${user} (wrong password?)`
  const untrusted = certificateError(result.cause, rootCert)
  if (untrusted) return `the server at ${hostAndPort} is not trusted: ${untrusted}`
  if (code === '3D000') return `there is no database ${database} on the server at ${hostAndPort}`
  if (code.startsWith('ERR_POSTGRES_TLS')) return `the server at ${hostAndPort} does not offer TLS`
  if (result.isPermanent && code.startsWith('ERR_POSTGRES'))
    return `the host ${result.host.host} is unknown`
  if (code.startsWith('ERR_POSTGRES')) return `nothing answers at ${hostAndPort}`
  return `the server at ${hostAndPort} reports: ${(result.cause as Error).message}`
}
