import type { Clock } from '../../runtime/timers/clock'
import { majorParameter, type Route } from './route'

/** A request that waits for its turn. */
export interface Job {
  readonly method: string
  readonly route: Route
  /** Proxying goes on when other requests are paused. */
  readonly isProxying: boolean
  /** Sends the request once. Never rejects. */
  run(): Promise<Outcome>
  reject(): void
}

/** Effect of a request on its queue. */
export interface Outcome {
  /** `X-RateLimit-Bucket`; null if the route has no limit. */
  readonly bucket: string | null
  /** Time until the next request may be sent. */
  readonly waitMs: number
  /** True if the same request has to be sent again, before all others. */
  readonly isRepeated: boolean
}

export interface RequestQueues {
  add(job: Job): void
  /** Rejects the waiting requests. */
  rejectAll(): void
  readonly waiting: number
}

/**
 * Queues of requests, one per bucket and major parameter; per route until the bucket is known. Each
 * queue sends one request at a time, so the headers of the last response always describe its state.
 */
export function createRequestQueues(parts: {
  readonly clock: Clock
  sleep(ms: number): Promise<void>
  /** Time for which requests other than proxying are paused. */
  pauseMs(): number
}): RequestQueues {
  const { clock } = parts
  const queues = new Map<string, Queue>()
  const buckets = new Map<string, string>()

  const queueOf = ({ method, route }: Job) => {
    const name = `${method} ${route.template}`
    const group = buckets.get(name) ?? name
    const major = majorParameter(route)
    const queue = queues.get(keyOf(group, major))
    if (queue) return queue
    if (queues.size >= MAX_IDLE_QUEUES) deleteIdle(queues, clock.monotonic())
    const created: Queue = { group, major, jobs: [], isBusy: false, freeAt: 0 }
    queues.set(keyOf(group, major), created)
    return created
  }
  /** Makes the queues of a route those of its bucket, or joins them with those of other routes. */
  const learnBucket = ({ method, route }: Job, bucket: string) => {
    const name = `${method} ${route.template}`
    const isFirst = !buckets.has(name)
    buckets.set(name, bucket)
    if (!isFirst) return
    for (const queue of [...queues.values()].filter(({ group }) => group === name)) {
      queues.delete(keyOf(name, queue.major))
      const key = keyOf(bucket, queue.major)
      const other = queues.get(key)
      queue.group = bucket
      if (!other) queues.set(key, queue)
      else {
        other.jobs.push(...queue.jobs.splice(0))
        void work(other)
      }
    }
  }
  const takeNext = (queue: Queue) => {
    const isPaused = parts.pauseMs() > 0
    const index = queue.jobs.findIndex(({ isProxying }) => isProxying || !isPaused)
    return index === -1 ? undefined : queue.jobs.splice(index, 1)[0]
  }
  const applyOutcome = (job: Job, { bucket, waitMs, isRepeated }: Outcome) => {
    if (bucket !== null) learnBucket(job, bucket)
    const queue = queueOf(job)
    queue.freeAt = Math.max(queue.freeAt, clock.monotonic() + waitMs)
    if (isRepeated) queue.jobs.unshift(job)
    void work(queue)
  }
  const work = async (queue: Queue): Promise<void> => {
    if (queue.isBusy) return
    queue.isBusy = true
    while (queue.jobs.length > 0) {
      const waitMs = queue.freeAt - clock.monotonic()
      if (waitMs > 0) {
        await parts.sleep(waitMs)
        continue
      }
      const job = takeNext(queue)
      if (!job) await parts.sleep(Math.min(parts.pauseMs(), RECHECK_MS))
      else if (queueOf(job) === queue) applyOutcome(job, await job.run())
      else moveTo(queueOf(job), job)
    }
    queue.isBusy = false
  }
  /** Discord can assign a route to another bucket at any time. */
  const moveTo = (queue: Queue, job: Job) => {
    queue.jobs.push(job)
    void work(queue)
  }
  return {
    add: (job) => moveTo(queueOf(job), job),
    rejectAll() {
      for (const queue of queues.values()) for (const job of queue.jobs.splice(0)) job.reject()
    },
    get waiting() {
      return queues.values().reduce((sum, { jobs }) => sum + jobs.length, 0)
    },
  }
}

interface Queue {
  /** Bucket, or method and path template until it is known. */
  group: string
  readonly major: string
  readonly jobs: Job[]
  isBusy: boolean
  /** Time from which the bucket accepts requests. */
  freeAt: number
}

const MAX_IDLE_QUEUES = 1000
/** While requests are paused, a queue looks for new proxy requests this often. */
const RECHECK_MS = 50

function keyOf(group: string, major: string): string {
  return `${group}\n${major}`
}

function deleteIdle(queues: Map<string, Queue>, now: number): void {
  for (const [key, { jobs, isBusy, freeAt }] of queues)
    if (!isBusy && jobs.length === 0 && freeAt <= now) queues.delete(key)
}
