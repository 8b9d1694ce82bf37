import type { Permission } from '../../../src/model/core/privacy'
import type { eventTypes } from '../../../src/model/events'

/** What an endpoint promises to its callers. Every endpoint has one row, with its line as key. */
export interface Endpoint {
  /**
   * Permission that a token needs. `nothing`: any caller may send it, and gets redacted fields.
   * `no token`: it logs in or creates a system. `session`: it needs a session of the dashboard.
   */
  requires: Permission | 'nothing' | 'no token' | 'session' | 'bot key'
  /** Query string that a request needs. */
  query?: string
  /** Requests, and the answers to different callers. */
  asks?: Asks
  events?: Events
}

/** A request about objects of the owner. */
interface Ask {
  /** By default the line of the endpoint and its query, with references from `ownerRefs`. */
  line?: string
  body?: unknown
  answers: Answers
}

export type Asks = [Ask, ...Ask[]]

/** A status, or the code of an error. */
type Answer = number

export interface Answers {
  owner: Answer
  /** Answer to a bot that acts as the owner, if it differs from the owner's. */
  bot?: Answer
  /** Answer to another system. */
  other: Answer
  anonymous: Answer
}

/**
 * Types of the events that `test/events/changes.ts` tests, the file that tests the events, or why
 * the endpoint records none.
 */
type Events = (typeof eventTypes)[number][] | { testedIn: string } | { none: string }

/** Rows of an API by line. A write cannot omit its events. */
export type Endpoints<Path extends string, Row extends Endpoint> = {
  [line in `GET ${Path}/${string}`]: Row
} & {
  [line in `${'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${Path}/${string}`]: Row & { events: Events }
}

/** Answers to requests that any caller may send. */
export const anyCaller: Answers = { owner: 200, other: 200, anonymous: 200 }

/** Answers to requests about the system of the caller, so that only anonymous callers are rejected. */
export function anySystem(status = 200): Answers {
  return { owner: status, other: status, anonymous: 401 }
}

/** Answers to requests that change or read an object that only its owner may change or read. */
export function onlyOwner(owner: Answer, other: Answer): Answers {
  return { owner, other, anonymous: 401 }
}

/** References of the fixture for the parameters of a line. */
const ownerRefs: Record<string, string> = {
  '{systemRef}': '<own>',
  '{memberRef}': '<wren>',
  '{groupRef}': '<keepers>',
  '{switchRef}': '<first>',
  '{guild_id}': '333',
  '{message}': '<message>',
}

/** Returns the line of an endpoint with references of the owner. */
export function fillRefs(line: string): string {
  return line.replaceAll(/\{\w+\}/g, (parameter) => ownerRefs[parameter] ?? parameter)
}

/** Returns the request line of an ask. */
export function lineOf(endpointLine: string, { query }: Endpoint, { line }: Ask): string {
  return line ?? fillRefs(endpointLine) + (query ? `?${query}` : '')
}

/** Returns the status and the code of an answer. The first digit of a code tells its status. */
export function parseAnswer(answer: Answer): { status: number; code: number } {
  if (answer < 1000) return { status: answer, code: 0 }
  return { status: answer < 30_000 ? 404 : answer < 40_000 ? 403 : 400, code: answer }
}
