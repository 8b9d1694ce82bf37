import type { AnyElysia } from 'elysia'
import type { RateLimits } from '../config'
import type { ErrorName } from '../model/errors'

/** What is true of a path before its route is asked. */
export interface PathPolicy {
  /** Nobody is asked who they are, and nothing is counted. */
  readonly isPublic: boolean
  /** Answered also while there is no time for others. */
  readonly bypassesAdmission: boolean
  /** For holders of a bot key alone, who name their systems in the path. */
  readonly requiresBotKey: boolean
  /** Where browsers come in and go. Who writes there is known by what they bring, and nobody yet. */
  readonly isLogin: boolean
  /** Whether a client may keep what it reads, and ask whether it has changed. */
  readonly isCacheable: boolean
  /** What reads are counted as. */
  readonly scope: Exclude<keyof RateLimits, 'generic_update'>
  /** Whether the part behind these names a system; without one it is the caller's own. */
  readonly hasSystemParam: boolean
  /** For our own page alone: no other origin is told that it may read the answers. */
  readonly isSameOriginOnly: boolean
  /** What every answer carries, also those that no route gives. */
  readonly headers: Readonly<Record<string, string>>
  /** What is said where nothing answers. */
  readonly notFoundError: ErrorName
}

/** An interface: where it lies, its routes, and what is true of its paths. */
export interface ApiModule {
  readonly prefix: string
  /** Made when it is first asked: who is never asked takes neither time nor memory. */
  readonly routes: () => AnyElysia
  readonly policy: Partial<PathPolicy>
  /** What else is true of the paths whose first part this is, by that part. */
  readonly resources: Readonly<Record<string, Partial<PathPolicy>>>
  /** What it has to say of paths that are not its own. */
  readonly overrides?: Readonly<Record<string, Partial<PathPolicy>>>
}

const plain: PathPolicy = {
  isPublic: false,
  bypassesAdmission: false,
  requiresBotKey: false,
  isLogin: false,
  isCacheable: false,
  scope: 'generic_get',
  hasSystemParam: false,
  isSameOriginOnly: false,
  headers: {},
  notFoundError: 'notFound',
}

/** What was prepared from the facts, by the first two parts of a path or its first one. */
export interface PolicyTable<T> {
  readonly known: ReadonlyMap<string, T>
  /** Of the root, where others are not. */
  readonly others: T
}

/** Asks each wire once, so that a request costs no more than looking up where it leads. */
export function buildPolicyTable<T>(
  modules: readonly ApiModule[],
  prepare: (policy: PathPolicy, start: string, wire: ApiModule | null) => T,
): PolicyTable<T> {
  const stated = new Map<string, { policy: PathPolicy; wire: ApiModule | null }>()
  const state = (start: string, policy: Partial<PathPolicy>, wire: ApiModule | null) =>
    stated.set(start, { policy: { ...plain, ...stated.get(start)?.policy, ...policy }, wire })
  for (const wire of modules) {
    const { prefix, policy, resources } = wire
    state(prefix, policy, wire)
    for (const [noun, more] of Object.entries(resources))
      state(`${prefix}/${noun}`, { ...policy, ...more }, wire)
  }
  for (const { overrides = {} } of modules)
    for (const [start, policy] of Object.entries(overrides)) {
      const whole = stated.get(moduleOf(start))
      state(start, { ...whole?.policy, ...policy }, whole?.wire ?? null)
    }
  const known = new Map(
    [...stated].map(([start, { policy, wire }]) => [start, prepare(policy, start, wire)]),
  )
  return { known, others: known.get('') ?? prepare(plain, '', null) }
}

export function findPolicy<T>({ known, others }: PolicyTable<T>, path: string): T {
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

function moduleOf(start: string): string {
  return start.slice(0, start.indexOf('/', 1))
}
