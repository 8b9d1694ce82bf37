/**
 * Queues of messages, one per channel: messages of a channel are handled in the order in which they
 * arrived, and channels do not wait for each other.
 */
export interface ChannelQueues {
  /** Adds work to the queue of a channel. Resolves when it is done; null if the queue is full. */
  add(channelId: string, work: Work): Promise<void> | null
  /** Starts no further work. Work that has not begun never resolves. */
  stop(): void
  /** Resolves when the work in progress is done. */
  readonly idle: Promise<void>
}

/** Work of a queue. The next work begins when it is done, or when it calls `leave`. */
export type Work = (leave: () => void) => Promise<void>

export const MAX_WAITING = 50

export function createChannelQueues(maxWaiting = MAX_WAITING): ChannelQueues {
  const queues = new Map<string, Entry[]>()
  let isStopped = false
  const running = new Set<Promise<void>>()

  const track = (promise: Promise<void>): Promise<void> => {
    running.add(promise)
    void promise.then(() => running.delete(promise))
    return promise
  }
  const perform = async ({ work, resolve, reject }: Entry, leave: () => void) => {
    try {
      await work(leave)
      resolve()
    } catch (cause) {
      reject(cause)
    }
  }
  const run = async (channelId: string, entries: Entry[]) => {
    for (let next = entries[0]; next && !isStopped; next = entries[0]) {
      const left = Promise.withResolvers<void>()
      await Promise.race([track(perform(next, left.resolve)), left.promise])
      entries.shift()
    }
    queues.delete(channelId)
  }
  return {
    add(channelId, work) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      if (isStopped) return promise
      const entries = queues.get(channelId)
      // The first entry is in progress.
      if (entries && entries.length > maxWaiting) return null
      if (entries) entries.push({ work, resolve, reject })
      else {
        const created = [{ work, resolve, reject }]
        queues.set(channelId, created)
        void track(run(channelId, created))
      }
      return promise
    },
    stop() {
      isStopped = true
    },
    get idle() {
      return Promise.all(running).then(() => {})
    },
  }
}

interface Entry {
  readonly work: Work
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}
