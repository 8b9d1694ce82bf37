import { type ChangeNotifier, POLL_MS } from '../changeNotifier'
import type { SharedRead } from '../sqlite/sharedRead'
import type { Primary } from './primary'
import type { PrimaryPool } from './primaryPool'

/** What the beat keeps: who listens, and whether what is remembered may be trusted. */
export interface Heartbeat {
  readonly changes: ChangeNotifier
  readonly sharedRead: SharedRead
  /** This node ended a token or the like. */
  invalidateCredentials(): void
  start(): void
  stop(): void
}

/** Nothing came for so long: the server counts as lost. */
const SILENCE_MS = 3_000
/** A machine that slept, or was busy with something else, did not listen for longer. */
const MAX_HEARTBEAT_MS = 2 * POLL_MS
/** What is remembered is trusted for so long after the last beat. */
const TRUST_MS = 500

const NEWS = `
  select coalesce((select max(id) from events), 0) as event,
    coalesce((select count from marks where name = 'keys'), 0) as keys,
    coalesce((select count from marks where name = 'hooks'), 0) as hooks`

interface News {
  event: number
  keys: number
  hooks: number
}

/**
 * One statement every so often: what happened elsewhere, and that the server is there at all. Where
 * it stays away, nothing that is remembered is trusted.
 */
export function createHeartbeat(primary: Primary): Heartbeat {
  const listeners: ((isNew: boolean) => void)[] = []
  let last: News = { event: -1, keys: -1, hooks: -1 }
  let version = 0
  let heardAt = -Infinity
  let asked: { era: PrimaryPool; silentMs: number } | null = null
  let tickedAt = performance.now()
  let timer: ReturnType<typeof setInterval> | undefined

  const hear = (news: News, askedAt: number) => {
    // Of what was said then, however long it lay here.
    heardAt = askedAt
    if (news.keys !== last.keys) version++
    const isNew = news.event !== last.event || news.keys !== last.keys || news.hooks !== last.hooks
    last = news
    for (const listener of listeners) listener(isNew)
  }

  const ask = async (era: PrimaryPool) => {
    const question = { era, silentMs: 0 }
    const askedAt = performance.now()
    asked = question
    try {
      const [news] = await era.probe<News>(NEWS, [])
      if (news && asked === question) hear(news, askedAt)
    } catch {
      // Whoever asks next is told; here it only counts that nothing was heard.
    }
    if (asked === question) asked = null
  }

  const tick = () => {
    const now = performance.now()
    const listenedMs = Math.min(now - tickedAt, MAX_HEARTBEAT_MS)
    tickedAt = now
    if (asked) {
      asked.silentMs += listenedMs
      if (asked.silentMs < SILENCE_MS) return
      const { era } = asked
      asked = null
      return primary.abandon(era)
    }
    try {
      void ask(primary.current())
    } catch {
      // There is none; it is being looked for.
    }
  }

  primary.onFound(() => {
    // Another server may have seen less, or more.
    version++
    last = { event: -1, keys: -1, hooks: -1 }
  })

  return {
    changes: {
      onTick: (listener) => void listeners.push(listener),
      start: () => {},
      stop: () => void listeners.splice(0),
    },
    sharedRead: {
      begin: () => (performance.now() - heardAt < TRUST_MS ? version : ++version),
      end: () => {},
    },
    invalidateCredentials: () => {
      version++
    },
    start() {
      timer = setInterval(tick, POLL_MS)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
