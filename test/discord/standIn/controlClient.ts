import { type ActionName, type Actions, runAction } from './control'
import type { FaultContext } from './controlFaults'

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
   * after something changed in the stand-in.
   */
  until<T>(read: () => T | Promise<T>, isDone: (value: T) => boolean): Promise<T>
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
  let version = 0
  return buildControl(call, () => async () => {
    const next = await call('nextVersion', { after: version, timeoutMs: 250 })
    version = (next as { version: number }).version
  })
}

/** Creates a client that calls the actions of a stand-in in the same process. */
export function createLocalControl(context: FaultContext): Control {
  const call = async (name: string, input: object = {}): Promise<unknown> => {
    const copy: object = JSON.parse(JSON.stringify(input))
    const answer = await runAction(context, name, copy).catch((cause) => {
      throw new Error(`${name}: ${cause instanceof Error ? cause.message : cause}`)
    })
    return JSON.parse(JSON.stringify(answer))
  }
  return buildControl(call, () => {
    const change = context.record.nextChange()
    return () => change
  })
}

function buildControl(
  call: (name: string, input?: object) => Promise<unknown>,
  /** Called before each read; the result waits for a change since then. */
  watch: () => () => Promise<void>,
): Control {
  const until = async <T>(
    read: () => T | Promise<T>,
    isDone: (value: T) => boolean,
  ): Promise<T> => {
    for (;;) {
      const nextChange = watch()
      const value = await read()
      if (isDone(value)) return value
      await nextChange()
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
