/** Limit on the bytes of attachments in memory. Callers that would exceed it wait in order. */
export interface ByteBudget {
  /** Runs the work while its bytes are reserved. More than the whole budget waits until it is alone. */
  reserve<T>(bytes: number, work: () => Promise<T>): Promise<T>
}

export function createByteBudget(total: number): ByteBudget {
  let free = total
  const waiting: { bytes: number; start: () => void }[] = []

  const startNext = () => {
    for (let next = waiting[0]; next && next.bytes <= free; next = waiting[0]) {
      waiting.shift()
      free -= next.bytes
      next.start()
    }
  }

  return {
    async reserve(wanted, work) {
      const bytes = Math.min(wanted, total)
      const turn = Promise.withResolvers<void>()
      waiting.push({ bytes, start: turn.resolve })
      startNext()
      await turn.promise
      try {
        return await work()
      } finally {
        free += bytes
        startNext()
      }
    },
  }
}
