import type { Instant } from '../core/time'

/** A switch with the members that front from its timestamp on. */
export interface SwitchPoint {
  readonly timestamp: Instant
  readonly members: readonly string[]
}

/** Half-open interval: includes `since`, excludes `until`. */
export interface Span {
  readonly since: Instant
  readonly until: Instant
}

/** Receiver of a replay's events. At the same moment, `ended` is called before `began`. */
export interface ReplayListener {
  switched?(at: Instant): void
  began?(member: string, at: Instant): void
  /** `isOpen` means that the replay ended before a switch ended the stint. */
  ended?(member: string, from: Instant, to: Instant, isOpen: boolean): void
  /** No member fronted. */
  passedEmpty?(from: Instant, to: Instant): void
}

export interface Replay {
  /** Processes the next later switch. Switches outside the span may be omitted. */
  step(point: SwitchPoint): void
  /** Ends open stints at the end of the span. */
  finish(): void
}

const MAX_LINEAR_SEARCH = 8

/**
 * Replays switches, oldest first, and reports the stints within the span. A switch that keeps a
 * member does not end the stint. Stints that began before the span start at its beginning, or at
 * their real start if `knownStarts` has it.
 */
export function createReplay(
  { since, until }: Span,
  listeners: readonly ReplayListener[],
  knownStarts: ReadonlyMap<string, Instant> = new Map(),
): Replay {
  const present = new Map<string, Instant>()
  let emptySince: Instant | null = null
  /** Last switch before the span, which decides the initial fronters. */
  let initial: SwitchPoint | null = null

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

  const applyInitial = () => {
    if (initial === null) return
    const fronters = [...new Set(initial.members)]
    const began = fronters.map((member) => ({ member, from: knownStarts.get(member) ?? since }))
    for (const { member, from } of began.sort((a, b) => a.from - b.from)) begin(member, from)
    if (fronters.length === 0) emptySince = since
    initial = null
  }

  const change = (at: Instant, members: readonly string[]) => {
    // For a few members a linear search is faster than building a set.
    const fronters = members.length > MAX_LINEAR_SEARCH ? new Set(members) : null
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
    step(point) {
      const { timestamp, members } = point
      if (timestamp >= until) return
      if (timestamp >= since) for (const listener of listeners) listener.switched?.(timestamp)
      if (timestamp <= since) {
        initial = point
        return
      }
      applyInitial()
      change(timestamp, members)
    },

    finish() {
      if (until <= since) return
      applyInitial()
      for (const [member, from] of present) end(member, from, until, true)
      endEmptiness(until)
      present.clear()
    },
  }
}

export interface Lookback {
  /** Processes the next earlier switch. Returns true while it needs more. */
  step(point: SwitchPoint): boolean
  /** Start times of the members that front in the first (newest) switch, as far as known. */
  readonly began: ReadonlyMap<string, Instant>
}

/** Walks back through switches, newest first, until the start of every current stint is known. */
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
