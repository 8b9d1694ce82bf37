import { randomBytes } from 'node:crypto'
import type { Clock } from './clock'

/** A request of the bot, complete with its answer. */
export interface RecordedRequest {
  number: number
  at: number
  /** Time at which its headers arrived, in milliseconds of the monotonic clock. */
  receivedAt: number
  method: string
  /** Path and query as sent, without the API base. */
  path: string
  /** Method and path as in Discord's OpenAPI document, or null if there is none. */
  route: string | null
  headers: Record<string, string>
  /** JSON body, or `payload_json` of a multipart body. */
  body: unknown
  files: { field: string; filename: string; type: string; size: number }[]
  status: number | null
  code: number | null
  answer: unknown
}

/** A connection to the gateway and what the client sent on it. */
export interface RecordedConnection {
  number: number
  at: number
  server: 'gateway' | 'resume'
  query: string
  userAgent: string
  received: { op: number; at: number }[]
  sessionId: string | null
  closed: { code: number; by: 'client' | 'server' } | null
}

/** Everything that happened, for assertions after a scenario. */
export class DiscordRecord {
  readonly requests: RecordedRequest[] = []
  readonly connections: RecordedConnection[] = []
  /** Messages whose MESSAGE_CREATE was written to a connection, by the monotonic clock. */
  readonly frames: { messageId: string; writtenAt: number }[] = []
  /** Downloads from the CDN and requests to the foreign origin. */
  readonly downloads: { at: number; url: string; status: number; origin: 'cdn' | 'foreign' }[] = []
  /** Breaches that fail a scenario: unknown routes, requests during Retry-After, invalid answers. */
  readonly problems: string[] = []
  readonly secrets = new Set<string>()
  identifies = 0
  resumes = 0
  /** Grows with every change, so that callers can wait for the next one. */
  version = 0
  private readonly waiting = new Set<() => void>()

  constructor(private readonly clock: Clock) {}

  /** Creates a token and remembers it for the search in logs and databases. */
  issueSecret(bytes = 48): string {
    const secret = randomBytes(bytes).toString('base64url')
    this.secrets.add(secret)
    return secret
  }

  addRequest(request: Omit<RecordedRequest, 'number' | 'at'>): RecordedRequest {
    const entry = { ...request, number: this.requests.length, at: this.clock.now() }
    this.requests.push(entry)
    this.changed()
    return entry
  }

  addProblem(problem: string): void {
    this.problems.push(problem)
    this.changed()
  }

  /** Number of answers that Discord counts towards a ban ("Rate Limits, Invalid Request Limit"). */
  countStatus(status: number): number {
    return this.requests.filter((request) => request.status === status).length
  }

  changed(): void {
    this.version++
    const woken = [...this.waiting]
    this.waiting.clear()
    for (const wake of woken) wake()
  }

  /** Resolves with the next change. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve))
  }

  /** Resolves when the version exceeds the given one, at the latest after the timeout. */
  async afterVersion(version: number, timeoutMs: number): Promise<number> {
    if (this.version <= version)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, timeoutMs)
        const { waiting } = this
        function done() {
          clearTimeout(timer)
          waiting.delete(done)
          resolve()
        }
        waiting.add(done)
      })
    return this.version
  }
}
