import type { ActionName, Actions } from './control'

type Input<Name extends ActionName> = Parameters<Actions[Name]>[1]
type Output<Name extends ActionName> = Awaited<ReturnType<Actions[Name]>>

/** The actions of the control interface as typed methods. */
export type Control = {
  [Name in ActionName]: (
    ...input: undefined extends Input<Name> ? [Input<Name>?] : [Input<Name>]
  ) => Promise<Output<Name>>
} & {
  /**
   * Repeats a read until it satisfies the condition, and returns what was read. Reads again only
   * after something changed, and throws after the timeout.
   */
  until<T>(
    read: () => Promise<T>,
    isDone: (value: T) => boolean,
    options?: { timeoutMs?: number; description?: string },
  ): Promise<T>
}

/** Creates a client of the control interface at this address, for example `http://127.0.0.1:1/_`. */
export function createControl(address: string): Control {
  const call = async (name: string, input: object = {}): Promise<unknown> => {
    const response = await fetch(`${address}/${name}`, {
      method: 'POST',
      body: JSON.stringify(input),
      // A connection that is used again may be closed by the server at the same moment.
      keepalive: false,
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(`${name}: ${(answer as { error: string }).error}`)
    return answer
  }
  const until = async <T>(
    read: () => Promise<T>,
    isDone: (value: T) => boolean,
    { timeoutMs = 100_000, description = 'the condition' } = {},
  ): Promise<T> => {
    const deadline = Date.now() + timeoutMs
    let version = 0
    for (;;) {
      const value = await read()
      if (isDone(value)) return value
      if (Date.now() > deadline)
        throw new Error(`${description} was not reached: ${JSON.stringify(value)?.slice(0, 2000)}`)
      const next = await call('nextVersion', { after: version, timeoutMs: 250 })
      version = (next as { version: number }).version
    }
  }
  return new Proxy({} as Control, {
    get: (_, name) => {
      if (name === 'until') return until
      // A promise is recognized by its method `then`.
      return typeof name === 'string' && name !== 'then'
        ? (input?: object) => call(name, input)
        : undefined
    },
  })
}
