import type { Clock, Timer } from '../../runtime/timers/clock'

/** Data with which a connection resumes, also in another process. The session ID is a secret. */
export interface GatewaySession {
  readonly sessionId: string
  readonly resumeUrl: string
  /** All events up to this one were handled. */
  readonly sequence: number
}

/** Storage of sessions. A session with another number of shards cannot be resumed. */
export interface SessionStore {
  load(shard: number, shardCount: number): Promise<GatewaySession | null>
  save(shard: number, shardCount: number, session: GatewaySession): Promise<void>
  /** Deletes a session that Discord has ended. */
  delete(shard: number): Promise<void>
}

export interface SessionSaver {
  /** Saves the session soon, with those of the calls until then. */
  schedule(): void
  /** Saves the session now, if it changed. */
  flush(): Promise<void>
}

/** Limits how often a session is saved, because its sequence changes with every event. */
export function createSessionSaver(
  clock: Clock,
  everyMs: number,
  save: () => Promise<void>,
  onError: (cause: unknown) => void,
): SessionSaver {
  let timer: Timer | undefined
  let lastSave: Promise<void> = Promise.resolve()

  const flush = () => {
    if (timer !== undefined) {
      timer.stop()
      timer = undefined
      lastSave = lastSave.then(save).catch(onError)
    }
    return lastSave
  }
  return {
    schedule() {
      timer ??= clock.setTimeout(flush, everyMs).unref()
    },
    flush,
  }
}
