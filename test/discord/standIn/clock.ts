/** Start of Discord's epoch ("Reference, Snowflakes"). */
const EPOCH = 1420070400000n

/** Source of time, which a test that advances the time of the bot shares with it. */
export interface Time {
  now(): number
  setTimeout(run: () => void, ms: number): { stop(): void }
}

const systemTime: Time = {
  now: () => Date.now(),
  setTimeout(run, ms) {
    const timer = setTimeout(run, ms)
    return { stop: () => clearTimeout(timer) }
  },
}

/** Time of the stand-in. Tests move it forward instead of waiting, or stop it on busy cores. */
export class Clock {
  private offset = 0
  private stoppedAt: number | null = null

  constructor(private readonly time: Time = systemTime) {}

  now(): number {
    return (this.stoppedAt ?? this.time.now()) + this.offset
  }

  setTimeout(run: () => void, ms: number): { stop(): void } {
    return this.time.setTimeout(run, ms)
  }

  stop(): void {
    this.stoppedAt ??= this.time.now()
  }

  advance(ms: number): void {
    this.offset += ms
  }
}

/** Creates IDs that grow with time, also within one millisecond. */
export class Snowflakes {
  private last = 0n

  constructor(private readonly clock: Clock) {}

  next(): string {
    const now = (BigInt(this.clock.now()) - EPOCH) << 22n
    this.last = now > this.last ? now : this.last + 1n
    return String(this.last)
  }

  /** Creates a guild ID that belongs to a shard: `(guild_id >> 22) % num_shards`. */
  nextFor(shard: number, shards: number): string {
    const time = BigInt(this.next()) >> 22n
    const count = BigInt(shards)
    const ms = time - (time % count) + BigInt(shard) + count
    const id = ms << 22n
    if (id > this.last) this.last = id
    return String(id)
  }
}

export function timeOf(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH)
}

/** Generator of reproducible random numbers between 0 and 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296
  }
}
