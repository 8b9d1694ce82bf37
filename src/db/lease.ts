import { hostname } from 'node:os'
import type { Dialect } from './dialect'
import type { Storage } from './open'
import { statement } from './statement'
import type { Db } from './types'

/** What only one process does, however many work on the same data. */
const tasks = ['dispatch', 'care'] as const

/** Sending to webhooks; pruning and scheduled backups. */
export type Task = (typeof tasks)[number]

export interface Leases {
  /** Whether this process is the one that does it, at this moment. */
  holds(task: Task): boolean
  /** Called whenever this process becomes the one that does it. */
  onTaken(task: Task, begin: () => void): void
  /** Records where this process serves, for `findAnnounced`. */
  announce(address: string): Promise<void>
  start(): Promise<void>
  /** Gives back what it holds, so that nobody has to wait until it would have ended. */
  stop(): Promise<void>
}

interface LeaseDeps {
  readonly db: Db
  readonly transact: Storage['transact']
  readonly warn: (message: string, fields?: Record<string, string>) => void
}

/** No lease may be made longer. */
export const LONGEST_LEASE_MS = 60_000
const LENGTH_MS = 10_000
/** In parts of its length: when a lease is renewed, and how often it is looked at. */
const RENEW = 0.3
const CHECK_SHARE = 0.1
/** So soon at least is known what another gave back. */
const MAX_PAUSE_MS = 1_000
/** How long a process that stops tries to give back what it holds. */
const GIVE_UP_MS = 2_000

/**
 * Whoever holds a lease renews it long before it ends. One that dies or hangs renews nothing, and
 * when its time is over the first that asks is the next.
 */
export function createLeases({ db, transact, warn }: LeaseDeps, lengthMs = LENGTH_MS): Leases {
  // Names the machine and the process, and later the address of its server.
  let holder = `${hostname()}:${process.pid}:${crypto.randomUUID()}`
  /** On this process's own steady clock, and never later than the engine's. */
  const heldUntil = new Map<Task, number>()
  const begins: { task: Task; begin: () => void }[] = []
  let timer: ReturnType<typeof setInterval> | undefined
  let looking: Promise<void> | undefined
  let renewAt = 0
  let isFailing = false

  const holds = (task: Task) => (heldUntil.get(task) ?? 0) > performance.now()

  const takeAll = async () => {
    const { asked, taken } = await transact(
      'new',
      async (tx) => {
        const won: Task[] = []
        const before = performance.now()
        for (const task of tasks)
          if (await take(tx).get({ task, holder, length: lengthMs })) won.push(task)
        return { asked: before, taken: won }
        // Nobody holds a lease over a power cut, so an idle server need not flush the disk for it.
      },
      'slice',
    )
    renewAt = asked + lengthMs * RENEW
    for (const task of taken) {
      const isNew = !holds(task)
      heldUntil.set(task, asked + lengthMs)
      if (isNew) for (const one of begins) if (one.task === task) one.begin()
    }
  }

  const check = async () => {
    try {
      const held = tasks.filter(holds).length
      const isDue = held > 0 && performance.now() >= renewAt
      // Looking costs nothing, while asking is a write.
      if (isDue || (await countOthers(db).get({ holder }))?.count !== tasks.length - held)
        await takeAll()
      isFailing = false
    } catch (cause) {
      // It is tried again every second, and one line is enough.
      if (!isFailing) warn('no lease could be taken or kept', { cause: String(cause) })
      isFailing = true
    }
    looking = undefined
  }

  return {
    holds,
    onTaken: (task, begin) => void begins.push({ task, begin }),
    async announce(address) {
      await looking
      const before = holder
      const after = `${before} ${address}`
      looking = transact('new', async (tx) => void (await rename(tx).run({ before, after })))
        .then(() => {
          holder = after
        })
        .catch((cause) => warn('server address not recorded', { cause: String(cause) }))
        .finally(() => {
          looking = undefined
        })
      await looking
    },
    async start() {
      timer = setInterval(
        () => {
          looking ??= check()
        },
        Math.min(lengthMs * CHECK_SHARE, MAX_PAUSE_MS),
      )
      timer.unref()
      looking = check()
      await looking
    },
    async stop() {
      clearInterval(timer)
      heldUntil.clear()
      const giveAllBack = async () => {
        await looking
        heldUntil.clear()
        await transact('new', async (tx) => void (await giveBack(tx).run({ holder })))
      }
      // Where nothing can be written for now, they end by themselves.
      const late = Promise.withResolvers<void>()
      const giveUp = setTimeout(late.resolve, GIVE_UP_MS)
      await Promise.race([giveAllBack().catch(() => {}), late.promise])
      clearTimeout(giveUp)
    },
  }
}

/** One that would last longer than any was made before the clock was set back. */
const isOver = ({ nowMs }: Dialect) =>
  `(leases.until <= ${nowMs} or leases.until > ${nowMs} + ${LONGEST_LEASE_MS})`

const take = statement<'task' | 'holder' | 'length', { name: string }>(
  (say) => `
   insert into leases (name, holder, until) values (:task, :holder, ${say.nowMs} + :length)
   on conflict (name) do update set holder = excluded.holder, until = excluded.until
   where leases.holder = excluded.holder or ${isOver(say)}
   returning name`,
)

const countOthers = statement<'holder', { count: number }>(
  (say) =>
    `select ${say.count()} as count from leases where holder <> :holder and not ${isOver(say)}`,
)

const rename = statement<'before' | 'after'>(
  'update leases set holder = :after where holder = :before',
)

const current = statement<never, { holder: string }>(
  (say) => `select holder from leases where not ${isOver(say)} order by name`,
)

/** Address that a process of this machine announced and still holds a lease with; else null. */
export async function findAnnounced(db: Db): Promise<string | null> {
  for (const { holder } of await current(db).all({})) {
    const [owner = '', address] = holder.split(' ')
    if (address && owner.startsWith(`${hostname()}:`)) return address
  }
  return null
}

const giveBack = statement<'holder'>('delete from leases where holder = :holder')
