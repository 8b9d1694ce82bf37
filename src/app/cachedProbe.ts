/** What was last seen of something that may fail, or never answer. */
export interface CachedProbe<T> {
  /** Looks again, if it was not looked a moment ago. Gives what was seen last, in good time. */
  refresh(): Promise<T>
  last(): T
  /** Whether the last look saw something. */
  isOk(): boolean
}

export function createCachedProbe<T>(
  probe: () => Promise<T>,
  initial: T,
  everyMs: number,
  longestMs: number,
): CachedProbe<T> {
  let seen = initial
  let isOk = true
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  const begin = async () => {
    try {
      seen = await probe()
      isOk = true
      lookedAt = performance.now()
    } catch {
      isOk = false
    } finally {
      looking = undefined
    }
  }

  return {
    async refresh() {
      if (performance.now() - lookedAt >= everyMs) looking ??= begin()
      if (looking && !(await isDoneWithin(looking, longestMs))) isOk = false
      return seen
    },
    last: () => seen,
    isOk: () => isOk,
  }
}

async function isDoneWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const isDone = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return isDone
}
