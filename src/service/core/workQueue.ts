/** Work of one system that may have to wait. */
export interface QueuedWork {
  readonly systemId: number
  /** Aborted when the client closes its connection; null where there is no connection. */
  readonly signal: AbortSignal | null
}

export interface WorkQueueOptions<W extends QueuedWork> {
  /** Number of jobs that run at a time. Of each system only one runs at a time. */
  readonly maxRunning: number
  /** Throws if the work may not wait behind the work that waits already. */
  readonly rejectExcess?: (work: W, waiting: readonly W[]) => void
  /** Returns true if the work has priority over work that has waited longer. */
  readonly isPreferred?: (work: W) => boolean
}

/** Runs work when its turn comes. Throws the signal's reason if the client disconnects before. */
export type WorkQueue<W extends QueuedWork> = <T>(work: W, run: () => Promise<T>) => Promise<T>

export function createWorkQueue<W extends QueuedWork>({
  maxRunning,
  rejectExcess,
  isPreferred = () => false,
}: WorkQueueOptions<W>): WorkQueue<W> {
  /** Systems with running work. */
  const running = new Set<number>()
  /** Waiting work with the function that starts it, oldest first. */
  const waiting = new Map<W, () => void>()

  const canBegin = ({ systemId }: W) => running.size < maxRunning && !running.has(systemId)

  const wait = (work: W) =>
    new Promise<void>((resolve, reject) => {
      const { signal } = work
      const drop = () => {
        waiting.delete(work)
        reject(signal?.reason)
      }
      waiting.set(work, () => {
        signal?.removeEventListener('abort', drop)
        resolve()
      })
      signal?.addEventListener('abort', drop, { once: true })
    })

  const beginWaiting = () => {
    for (;;) {
      const ready = [...waiting.keys()].filter(canBegin)
      const next = ready.find(isPreferred) ?? ready[0]
      if (next === undefined) return
      const begin = waiting.get(next)
      waiting.delete(next)
      running.add(next.systemId)
      begin?.()
    }
  }

  return async (work, run) => {
    work.signal?.throwIfAborted()
    if (canBegin(work)) running.add(work.systemId)
    else {
      rejectExcess?.(work, [...waiting.keys()])
      await wait(work)
    }
    try {
      return await run()
    } finally {
      running.delete(work.systemId)
      beginWaiting()
    }
  }
}
