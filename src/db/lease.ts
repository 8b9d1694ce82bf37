import { hostname } from 'node:os'
import { and, eq, ne, not, sql } from 'drizzle-orm'
import type { Clock, Timer } from '../runtime/timers/clock'
import { type PeriodicTask, startPeriodicTask } from '../runtime/timers/periodicTask'
import { withTimeout } from '../runtime/timers/withTimeout'
import { isLeaseOver } from './leaseSql'
import type { Storage } from './open'
import { type Placeholders, query } from './query'
import { leases } from './tables'
import type { Db } from './types'

/**
 * Tasks that only one process does, however many use the same database. `dispatch` sends to webhooks;
 * `maintenance` prunes and writes scheduled backups; `reminders` looks for due reminders; `discord`
 * runs the Discord bot.
 */
export type Task = 'dispatch' | 'maintenance' | 'reminders' | 'discord'

/** Tasks of every server. A process without a token of a Discord bot cannot do its task. */
export const serverTasks: readonly Task[] = ['dispatch', 'maintenance', 'reminders']

export interface Leases {
  /** Returns whether this process holds the lease of the task now. */
  holds(task: Task): boolean
  /** Calls `begin` whenever this process acquires the lease. */
  onAcquired(task: Task, begin: () => void): void
  /** Calls `end` as soon as a lease of this process has expired without having been renewed. */
  onLost(task: Task, end: () => void): void
  /** Finds the process that holds the lease of the task, as host name and process ID. */
  findHolder(task: Task): Promise<string | null>
  /** Records the address of this server, for `findAnnounced`. */
  announce(address: string): Promise<void>
  start(): Promise<void>
  /** Releases the leases, so that other processes need not wait until they expire. */
  stop(): Promise<void>
}

interface LeaseDeps {
  readonly db: Db
  readonly transact: Storage['transact']
  readonly clock: Clock
  readonly warn: (message: string, fields?: Record<string, string>) => void
}

export interface LeaseOptions {
  readonly durationMs?: number | undefined
  /** Tasks whose leases this process requests. */
  readonly tasks?: readonly Task[] | undefined
}

const DURATION_MS = 10_000
/** Parts of the duration after which a lease is renewed, and after which it is checked. */
const RENEW_SHARE = 0.3
const CHECK_SHARE = 0.1
/** Longest interval between checks, so that a released lease is noticed soon. */
const MAX_INTERVAL_MS = 1_000
/** Time limit for releasing the leases when the process stops. */
const RELEASE_LIMIT_MS = 2_000

/**
 * Holders renew their leases long before these expire. A process that dies or hangs does not, and
 * another process acquires the expired lease.
 */
export function createLeases(
  { db, transact, clock, warn }: LeaseDeps,
  { durationMs = DURATION_MS, tasks = serverTasks }: LeaseOptions = {},
): Leases {
  const taskNames = JSON.stringify(tasks)
  // Host name, process ID and, once announced, the address of the server.
  let holder = `${hostname()}:${process.pid}:${crypto.randomUUID()}`
  /** Expiry by this process's monotonic clock, never later than by the engine's clock. */
  const heldUntil = new Map<Task, number>()
  const listeners: { task: Task; begin: () => void }[] = []
  const lossListeners = new Map<Task, { end: () => void; timer?: Timer }>()
  let announced: string | null = null
  let checking: PeriodicTask | undefined
  let renewAt = 0
  let isFailing = false

  const holds = (task: Task) => (heldUntil.get(task) ?? 0) > clock.monotonic()

  const reportLoss = (task: Task) => {
    if (heldUntil.delete(task)) lossListeners.get(task)?.end()
  }

  /** Does not depend on a check, which may wait for a database that does not respond. */
  const watchExpiry = (task: Task) => {
    const listener = lossListeners.get(task)
    if (!listener) return
    listener.timer?.stop()
    const remainingMs = (heldUntil.get(task) ?? 0) - clock.monotonic()
    const checkExpiry = () => {
      if (holds(task)) watchExpiry(task)
      else reportLoss(task)
    }
    listener.timer = clock.setTimeout(checkExpiry, Math.max(0, remainingMs)).unref()
  }

  const acquireAll = async () => {
    const { askedAt, acquired } = await transact(
      'new',
      async (tx) => {
        const acquiredTasks: Task[] = []
        const before = clock.monotonic()
        for (const task of tasks)
          if (await acquire(tx).get({ task, holder, length: durationMs })) acquiredTasks.push(task)
        return { askedAt: before, acquired: acquiredTasks }
        // No lease outlasts a power failure, so an idle server need not flush the disk for it.
      },
      'slice',
    )
    renewAt = askedAt + durationMs * RENEW_SHARE
    for (const task of acquired) {
      const isNew = !holds(task)
      if (isNew) reportLoss(task)
      heldUntil.set(task, askedAt + durationMs)
      watchExpiry(task)
      if (isNew) for (const listener of listeners) if (listener.task === task) listener.begin()
    }
  }

  const renameHolder = async (address: string) => {
    announced = null
    const [before, after] = [holder, `${holder} ${address}`]
    try {
      await transact('new', async (tx) => void (await rename(tx).run({ before, after })))
      holder = after
    } catch (cause) {
      warn('server address registration failed', { cause: String(cause) })
    }
  }

  const check = async () => {
    if (announced !== null) await renameHolder(announced)
    const held = tasks.filter(holds).length
    const isDue = held > 0 && clock.monotonic() >= renewAt
    // Counting is a cheap read, while acquiring is a write.
    if (isDue || (await countOthers(db).get({ holder, taskNames }))?.count !== tasks.length - held)
      await acquireAll()
    isFailing = false
  }

  return {
    holds,
    onAcquired: (task, begin) => void listeners.push({ task, begin }),
    onLost(task, end) {
      lossListeners.set(task, { end })
      if (holds(task)) watchExpiry(task)
    },
    async findHolder(task) {
      const row = (await current(db).all({})).find(({ name }) => name === task)
      return row ? row.holder.split(':').slice(0, 2).join(':') : null
    },
    async announce(address) {
      announced = address
      // Part of the check, because a renewal under the old name would fail meanwhile.
      await checking?.runNow()
    },
    async start() {
      checking = startPeriodicTask({
        clock,
        everyMs: Math.min(durationMs * CHECK_SHARE, MAX_INTERVAL_MS),
        run: check,
        onError(cause) {
          // Logged once, because the renewal is retried every second.
          if (!isFailing) warn('lease renewal failed', { cause: String(cause) })
          isFailing = true
        },
      })
      await checking.runNow()
    },
    async stop() {
      heldUntil.clear()
      for (const { timer } of lossListeners.values()) timer?.stop()
      const releaseAll = async () => {
        await checking?.stop()
        heldUntil.clear()
        await transact('new', async (tx) => void (await release(tx).run({ holder })))
      }
      // If the database cannot be written now, the leases expire.
      await withTimeout(
        releaseAll().catch(() => {}),
        RELEASE_LIMIT_MS,
        () => {},
        clock,
      )
    },
  }
}

const acquire = query(
  (db, { task, holder, length }: Placeholders<'task' | 'holder' | 'length'>, dialect) => {
    const until = sql`${dialect.nowMs} + ${length}`
    return db
      .insert(leases)
      .values({ name: task, holder, until })
      .onConflictDoUpdate({
        target: leases.name,
        set: { holder, until },
        setWhere: sql`${leases.holder} = ${holder} or ${isLeaseOver(dialect)}`,
      })
      .returning({ name: leases.name })
  },
)

const countOthers = query(
  (db, { holder, taskNames }: Placeholders<'holder' | 'taskNames'>, dialect) =>
    db
      .select({ count: sql<number>`${dialect.count()}`.as('count') })
      .from(leases)
      .where(
        and(
          ne(leases.holder, holder),
          dialect.inJsonTexts(leases.name, taskNames),
          not(isLeaseOver(dialect)),
        ),
      ),
)

const rename = query((db, { before, after }: Placeholders<'before' | 'after'>) =>
  db.update(leases).set({ holder: after }).where(eq(leases.holder, before)),
)

const current = query((db, _, dialect) =>
  db
    .select({ name: leases.name, holder: leases.holder })
    .from(leases)
    .where(not(isLeaseOver(dialect)))
    .orderBy(leases.name),
)

/** Returns the address of a server on this machine that holds a lease, or null. */
export async function findAnnounced(db: Db): Promise<string | null> {
  for (const { holder } of await current(db).all({})) {
    const [owner = '', address] = holder.split(' ')
    if (address && owner.startsWith(`${hostname()}:`)) return address
  }
  return null
}

const release = query((db, { holder }: Placeholders<'holder'>) =>
  db.delete(leases).where(eq(leases.holder, holder)),
)
