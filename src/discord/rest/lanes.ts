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
  /** Whether the same request has to be sent again, before all others. */
  readonly isRepeated: boolean
}

export interface Lanes {
  add(job: Job): void
  /** Rejects the waiting requests. */
  rejectAll(): void
  readonly waiting: number
}

/**
 * Queues of requests, one per bucket and major parameter; per route until the bucket is known. Each
 * queue sends one request at a time, so the headers of the last response always describe its state.
 */
export function createLanes(parts: {
  sleep(ms: number): Promise<void>
  /** Time for which requests other than proxying are paused. */
  pauseMs(): number
}): Lanes {
  const lanes = new Map<string, Lane>()
  const buckets = new Map<string, string>()

  const keyOf = ({ method, route }: Job) => {
    const name = `${method} ${route.template}`
    return `${buckets.get(name) ?? name} ${majorParameter(route)}`
  }
  const laneOf = (job: Job) => {
    const key = keyOf(job)
    const known = lanes.get(key)
    if (known) return known
    if (lanes.size >= MAX_IDLE_LANES) deleteIdle(lanes)
    const created: Lane = { jobs: [], isBusy: false, freeAt: 0 }
    lanes.set(key, created)
    return created
  }
  const takeNext = (lane: Lane) => {
    const isPaused = parts.pauseMs() > 0
    const at = lane.jobs.findIndex(({ isProxying }) => isProxying || !isPaused)
    return at === -1 ? undefined : lane.jobs.splice(at, 1)[0]
  }
  /** Applies a response to the queue of its bucket, which may be another one than the request's. */
  const learn = (job: Job, lane: Lane, { bucket, waitMs, isRepeated }: Outcome) => {
    if (bucket !== null) buckets.set(`${job.method} ${job.route.template}`, bucket)
    const next = laneOf(job)
    next.freeAt = Math.max(next.freeAt, performance.now() + waitMs)
    if (isRepeated) next.jobs.unshift(job)
    if (next === lane) return
    for (const other of lane.jobs.splice(0)) laneOf(other).jobs.push(other)
    void work(next)
  }
  const work = async (lane: Lane): Promise<void> => {
    if (lane.isBusy) return
    lane.isBusy = true
    while (lane.jobs.length > 0) {
      const waitMs = lane.freeAt - performance.now()
      if (waitMs > 0) {
        await parts.sleep(waitMs)
        continue
      }
      const job = takeNext(lane)
      if (job) learn(job, lane, await job.run())
      else await parts.sleep(Math.min(parts.pauseMs(), RECHECK_MS))
    }
    lane.isBusy = false
  }
  return {
    add(job) {
      const lane = laneOf(job)
      lane.jobs.push(job)
      void work(lane)
    },
    rejectAll() {
      for (const lane of lanes.values()) for (const job of lane.jobs.splice(0)) job.reject()
    },
    get waiting() {
      return lanes.values().reduce((sum, { jobs }) => sum + jobs.length, 0)
    },
  }
}

interface Lane {
  readonly jobs: Job[]
  isBusy: boolean
  /** Time from which the bucket accepts requests. */
  freeAt: number
}

const MAX_IDLE_LANES = 1000
/** While requests are paused, a queue looks for new proxy requests this often. */
const RECHECK_MS = 50

function deleteIdle(lanes: Map<string, Lane>): void {
  for (const [key, { jobs, isBusy, freeAt }] of lanes)
    if (!isBusy && jobs.length === 0 && freeAt <= performance.now()) lanes.delete(key)
}
