/**
 * Sequence up to which all events were handled. Only that one is stored: after a kill, Discord
 * replays the events whose handling was interrupted.
 */
export interface HandledSequence {
  /** Latest event that was received; null without a session. */
  readonly received: number | null
  readonly handled: number
  /** Notes an event; the returned function notes that it was handled. */
  begin(sequence: number): () => void
  /** Starts over with a session. */
  reset(sequence: number | null): void
}

export function createHandledSequence(): HandledSequence {
  let received: number | null = null
  /** Events under way, in ascending order. */
  let pending = new Set<number>()
  return {
    get received() {
      return received
    },
    get handled() {
      const [first] = pending
      return first === undefined ? (received ?? 0) : first - 1
    },
    begin(sequence) {
      received = sequence
      // Numbers of a later session must not be mixed up with those of this one.
      const events = pending.add(sequence)
      return () => void events.delete(sequence)
    },
    reset(sequence) {
      received = sequence
      pending = new Set()
    },
  }
}
