import * as pkapi from 'pkapi.js'
import type { Clock } from '../../src/runtime/timers/clock'
import { afterAll, expect } from './test'
import { createTestApp } from './testApp'

/** Runs the npm package `pkapi.js` against a server, and records which of its methods were called. */

const called = new Set<string>()

const methods = [
  pkapi.PKAPI,
  pkapi.System,
  pkapi.SystemConfig,
  pkapi.SystemGuildSettings,
  pkapi.SystemAutoproxySettings,
  pkapi.Member,
  pkapi.MemberGuildSettings,
  pkapi.Group,
  pkapi.Switch,
  pkapi.Message,
].flatMap(recordCalls)

/** Starts a server on a port, and creates clients for it. */
export function createClientFixture(clock?: Clock) {
  const { app, deps, logged, makeSystem } = createTestApp({
    PORT: '0',
    RATE_LIMIT: 'generic_get=2',
    ...(clock && { clock }),
  })
  const base_url = app.listen()
  // The client fetches every image before it sends its URL.
  const imageServer = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('', { headers: { 'content-type': 'image/png' } }),
  })
  afterAll(() => imageServer.stop(true))

  const clientOf = (token?: string) =>
    new pkapi.PKAPI({ base_url, debug: false, ...(token && { token }) })
  const createSystemAndClient = async () => {
    const system = await makeSystem('Lantern Hill')
    return { system, api: clientOf(system.token) }
  }
  return {
    deps,
    logged,
    makeSystem,
    clientOf,
    createSystemAndClient,
    imageUrl: `${imageServer.url.href}wren.png`,
  }
}

export async function membersOf(api: pkapi.PKAPI): Promise<[pkapi.Member, pkapi.Member]> {
  return [await api.createMember({ name: 'Ash' }), await api.createMember({ name: 'Elm' })]
}

/** Lists all methods of the client, and those that no test has called so far. */
export function methodsOfClient(): { all: string[]; uncalled: string[] } {
  return { all: methods, uncalled: methods.filter((name) => !called.has(name)) }
}

/** Fails unless the client throws its own error with this status and code. */
export async function expectError(
  request: Promise<unknown>,
  status: number,
  code: number | string,
): Promise<pkapi.APIError> {
  const failure = await request.then(
    () => null,
    (cause) => cause,
  )
  expect(failure).toBeInstanceOf(pkapi.APIError)
  expect(failure).toMatchObject({ status, code })
  return failure
}

/** Fails if the client returns undefined. */
export async function requireResult<T>(request: Promise<T | undefined>): Promise<T> {
  const result = await request
  if (result === undefined) throw new Error('the client returned undefined')
  return result
}

/** Returns the short IDs, which are the keys of the Maps that the client returns. */
export async function ids(request: Promise<Map<string, unknown>>): Promise<string[]> {
  return [...(await request).keys()]
}

export function fronting({ members }: pkapi.Switch): string[] {
  return [...(members ?? []).keys()].map(String)
}

/** Casts a mode to the client’s enumeration, which it does not export. */
export function mode(word: string): NonNullable<pkapi.ISystemAutoproxySettings['autoproxy_mode']> {
  return word as ReturnType<typeof mode>
}

function recordCalls(type: { name: string; prototype: object }): string[] {
  const own = Object.entries(Object.getOwnPropertyDescriptors(type.prototype)).filter(
    ([name, { value }]) => name !== 'constructor' && typeof value === 'function',
  )
  return own.map(([name, { value }]) => {
    const methodName = `${type.name}.${name}`
    Object.defineProperty(type.prototype, name, {
      value(this: unknown, ...args: unknown[]) {
        called.add(methodName)
        return value.apply(this, args)
      },
    })
    return methodName
  })
}
