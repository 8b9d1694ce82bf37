import * as bun from 'bun:test'

/** Enough for a test on busy cores; Bun's default is 5 seconds. `mutants.ts` sets a shorter one. */
const TIMEOUT_MS = Number(process.env.TEST_TIMEOUT_MS ?? 180_000)

export { describe, expect, setSystemTime, spyOn } from 'bun:test'

export const { test, beforeAll, beforeEach, afterAll, afterEach } = withTimeout(TIMEOUT_MS)

/** When Bun ends the running test or hook. */
let endsAt = 0

/** Milliseconds until Bun ends the running test or hook. */
export function timeLeft(): number {
  return endsAt - performance.now()
}

/**
 * Returns Bun's `test` and hooks with this timeout instead of Bun's default. Bun 1.4.4 ignores a
 * timeout in `bunfig.toml`, and `setDefaultTimeout` in a shared file affects one test file only.
 */
export function withTimeout(timeout: number) {
  const hook =
    (add: typeof bun.beforeAll): typeof bun.beforeAll =>
    (run, options = timeout) =>
      add(recordEnd(run, options), options)
  return {
    test: passTimeout(bun.test, timeout),
    beforeAll: hook(bun.beforeAll),
    beforeEach: hook(bun.beforeEach),
    afterAll: hook(bun.afterAll),
    afterEach: hook(bun.afterEach),
  }
}

/**
 * Passes the timeout to every call with a title and a function, also after `.each(…)`, `.if(…)` and
 * the like.
 */
function passTimeout<T extends Callable>(define: T, timeout: number, owner?: object): T {
  return new Proxy(define, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      return isCallable(value) ? passTimeout(value, timeout, target) : value
    },
    apply(target, _, args) {
      const [title, run, options = timeout] = args
      const isTest = typeof title === 'string' && typeof run === 'function'
      const result: unknown = Reflect.apply(
        target,
        owner,
        isTest ? [title, recordEnd(run, options), options] : args,
      )
      return isCallable(result) ? passTimeout(result, timeout) : result
    },
  })
}

/** Returns a function that sets the end of the running test or hook when Bun calls it. */
function recordEnd(run: Callable, options: number | { timeout?: number }) {
  const timeout = typeof options === 'number' ? options : (options.timeout ?? 0)
  return (...args: unknown[]): undefined | Promise<unknown> => {
    endsAt = performance.now() + timeout
    return Reflect.apply(run, undefined, args)
  }
}

type Callable = (...args: never[]) => unknown

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function'
}
