/**
 * Waits for a promise and returns a function that returns its value or throws its error:
 * `expect(await outcomeOf(work)).toThrow('full')`. In Bun 1.4.4, `expect(work).rejects` blocks the
 * event loop until the promise settles, for seconds if that needs a connection.
 */
export async function outcomeOf<T>(work: PromiseLike<T>): Promise<() => T> {
  try {
    const value = await work
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** Waits for a promise that must be rejected, and returns its error. */
export async function errorOf(work: PromiseLike<unknown>): Promise<unknown> {
  const outcome = await outcomeOf(work)
  try {
    outcome()
  } catch (error) {
    return error
  }
  throw new Error('The promise was fulfilled.')
}
