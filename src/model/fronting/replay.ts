import type { Instant } from '../time'

/** A switch: who is in front from a moment on. */
export interface SwitchPoint {
  readonly timestamp: Instant
  readonly members: readonly string[]
}

/** From a moment on, and before another. */
export interface Span {
  readonly since: Instant
  readonly until: Instant
}

/** Who sums something up. Of one moment, ends are told before beginnings. */
export interface ReplayListener {
  switched?(at: Instant): void
  began?(member: string, at: Instant): void
  /** What is open was not ended by a switch, but by the end of the walk. */
  ended?(member: string, from: Instant, to: Instant, isOpen: boolean): void
  /** Nobody was in front. */
  passedEmpty?(from: Instant, to: Instant): void
}

export interface Replay {
  /** The next switch, later than the one before. Those outside the span may be left out. */
  step(shift: SwitchPoint): void
  /** Ends what is open at the end of the span. */
  finish(): void
}

const FEW = 8

/**
 * Goes through switches, oldest first, and tells what happened within the span: a switch that keeps
 * a member does not end their stint. Whoever is in front when the span begins begins there, or when
 * they did in truth, where that is known.
 */
export function createReplay(
  { since, until }: Span,
  listeners: readonly ReplayListener[],
  inTruth: ReadonlyMap<string, Instant> = new Map(),
): Replay {
  const present = new Map<string, Instant>()
  let emptySince: Instant | null = null
  /** What holds when the span begins: the last switch until then. */
  let standing: SwitchPoint | null = null

  const begin = (member: string, from: Instant) => {
    present.set(member, from)
    for (const listener of listeners) listener.began?.(member, from)
  }

  const end = (member: string, from: Instant, to: Instant, isOpen: boolean) => {
    for (const listener of listeners) listener.ended?.(member, from, to, isOpen)
  }

  const endEmptiness = (to: Instant) => {
    if (emptySince !== null)
      for (const listener of listeners) listener.passedEmpty?.(emptySince, to)
    emptySince = null
  }

  const stand = () => {
    if (standing === null) return
    const fronters = [...new Set(standing.members)]
    const began = fronters.map((member) => ({ member, from: inTruth.get(member) ?? since }))
    for (const { member, from } of began.sort((a, b) => a.from - b.from)) begin(member, from)
    if (fronters.length === 0) emptySince = since
    standing = null
  }

  const change = (at: Instant, members: readonly string[]) => {
    // Of a few, a look at each is sooner done than a set is made.
    const fronters = members.length > FEW ? new Set(members) : null
    for (const [member, from] of present)
      if (!(fronters?.has(member) ?? members.includes(member))) {
        present.delete(member)
        end(member, from, at, false)
      }
    if (members.length > 0) endEmptiness(at)
    else emptySince ??= at
    for (const member of members) if (!present.has(member)) begin(member, at)
  }

  return {
    step(shift) {
      const { timestamp, members } = shift
      if (timestamp >= until) return
      if (timestamp >= since) for (const listener of listeners) listener.switched?.(timestamp)
      if (timestamp <= since) {
        standing = shift
        return
      }
      stand()
      change(timestamp, members)
    },

    finish() {
      if (until <= since) return
      stand()
      for (const [member, from] of present) end(member, from, until, true)
      endEmptiness(until)
      present.clear()
    },
  }
}

export interface Lookback {
  /** The next switch, earlier than the one before. Whether more of them must be seen. */
  step(shift: SwitchPoint): boolean
  /** Since when those in front where it began had been there, as far as was seen. */
  readonly began: ReadonlyMap<string, Instant>
}

/** Goes back through switches, newest first, until everybody in front has begun. */
export function createLookback(isOfInterest: (member: string) => boolean): Lookback {
  const began = new Map<string, Instant>()
  let unbroken: Set<string> | null = null
  return {
    began,
    step({ timestamp, members }) {
      const fronters = new Set(members)
      unbroken = unbroken?.intersection(fronters) ?? new Set(members.filter(isOfInterest))
      for (const member of unbroken) began.set(member, timestamp)
      return unbroken.size > 0
    },
  }
}
