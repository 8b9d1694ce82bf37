import type { AnyElysia } from 'elysia'
import type { RateLimits } from '../config'
import type { ErrorName } from '../model/errors'

/** What is true of a path before its route is asked. */
export interface Facts {
  /** Nobody is asked who they are, and nothing is counted. */
  readonly isForEveryone: boolean
  /** Answered also while there is no time for others. */
  readonly isUrgent: boolean
  /** For holders of a bot key alone, who name their systems in the path. */
  readonly isForBots: boolean
  /** Where browsers come in and go. Who writes there is known by what they bring, and nobody yet. */
  readonly isDoor: boolean
  /** Whether a client may keep what it reads, and ask whether it has changed. */
  readonly isKept: boolean
  /** What reads are counted as. */
  readonly scope: Exclude<keyof RateLimits, 'generic_update'>
  /** Whether the part behind these names a system; without one it is the caller's own. */
  readonly namesSystem: boolean
  /** For our own page alone: no other origin is told that it may read the answers. */
  readonly isOfPage: boolean
  /** What every answer carries, also those that no route gives. */
  readonly headers: Readonly<Record<string, string>>
  /** What is said where nothing answers. */
  readonly unknown: ErrorName
}

/** An interface: where it lies, its routes, and what is true of its paths. */
export interface Wire {
  readonly prefix: string
  /** Made when it is first asked: who is never asked takes neither time nor memory. */
  readonly routes: () => AnyElysia
  readonly facts: Partial<Facts>
  /** What else is true of the paths whose first part this is, by that part. */
  readonly nouns: Readonly<Record<string, Partial<Facts>>>
  /** What it has to say of paths that are not its own. */
  readonly elsewhere?: Readonly<Record<string, Partial<Facts>>>
}

const plain: Facts = {
  isForEveryone: false,
  isUrgent: false,
  isForBots: false,
  isDoor: false,
  isKept: false,
  scope: 'generic_get',
  namesSystem: false,
  isOfPage: false,
  headers: {},
  unknown: 'notFound',
}

/** What was prepared from the facts, by the first two parts of a path or its first one. */
export interface FactsByPath<T> {
  readonly known: ReadonlyMap<string, T>
  /** Of the root, where others are not. */
  readonly others: T
}

/** Asks each wire once, so that a request costs no more than looking up where it leads. */
export function collectFacts<T>(
  wires: readonly Wire[],
  prepare: (facts: Facts, start: string, wire: Wire | null) => T,
): FactsByPath<T> {
  const stated = new Map<string, { facts: Facts; wire: Wire | null }>()
  const state = (start: string, facts: Partial<Facts>, wire: Wire | null) =>
    stated.set(start, { facts: { ...plain, ...stated.get(start)?.facts, ...facts }, wire })
  for (const wire of wires) {
    const { prefix, facts, nouns } = wire
    state(prefix, facts, wire)
    for (const [noun, more] of Object.entries(nouns))
      state(`${prefix}/${noun}`, { ...facts, ...more }, wire)
  }
  for (const { elsewhere = {} } of wires)
    for (const [start, facts] of Object.entries(elsewhere)) {
      const whole = stated.get(wireOf(start))
      state(start, { ...whole?.facts, ...facts }, whole?.wire ?? null)
    }
  const known = new Map(
    [...stated].map(([start, { facts, wire }]) => [start, prepare(facts, start, wire)]),
  )
  return { known, others: known.get('') ?? prepare(plain, '', null) }
}

export function findFacts<T>({ known, others }: FactsByPath<T>, path: string): T {
  // A slash in second place ends nothing: `//docs` is not the root.
  const first = path.indexOf('/', 2)
  if (first === -1) return known.get(path) ?? others
  const second = path.indexOf('/', first + 1)
  return (
    known.get(second === -1 ? path : path.slice(0, second)) ??
    known.get(path.slice(0, first)) ??
    others
  )
}

function wireOf(start: string): string {
  return start.slice(0, start.indexOf('/', 1))
}
