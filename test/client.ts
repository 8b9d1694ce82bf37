import { afterAll, expect } from 'bun:test'
import * as pkapi from 'pkapi.js'
import { createTestApp } from './testApp'

/** The real client, a server for it to talk to, and a note of which of its methods were called. */

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
].flatMap(noteCalls)

/** A server that really listens, with clients for it. */
export function clientHome() {
  const { app, deps, logged, makeSystem } = createTestApp({
    PORT: '0',
    RATE_LIMIT: 'generic_get=2',
  })
  const base_url = app.listen()
  // The client looks at every picture before it sends its address.
  const gallery = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('', { headers: { 'content-type': 'image/png' } }),
  })
  afterAll(() => gallery.stop(true))

  const clientOf = (token?: string) =>
    new pkapi.PKAPI({ base_url, debug: false, ...(token && { token }) })
  const moveIn = async () => {
    const someone = await makeSystem('Lantern Hill')
    return { someone, api: clientOf(someone.token) }
  }
  return { deps, logged, makeSystem, clientOf, moveIn, picture: `${gallery.url.href}wren.png` }
}

export async function membersOf(api: pkapi.PKAPI): Promise<[pkapi.Member, pkapi.Member]> {
  return [await api.createMember({ name: 'Ash' }), await api.createMember({ name: 'Elm' })]
}

/** Every method that the client has, and those of them that nobody called so far. */
export function methodsOfClient(): { all: string[]; left: string[] } {
  return { all: methods, left: methods.filter((name) => !called.has(name)) }
}

/** Fails unless the client raised its own error, with this status and number. */
export async function expectError(
  asked: Promise<unknown>,
  status: number,
  code: number | string,
): Promise<pkapi.APIError> {
  const failure = await asked.then(
    () => null,
    (cause) => cause,
  )
  expect(failure).toBeInstanceOf(pkapi.APIError)
  expect(failure).toMatchObject({ status, code })
  return failure
}

/** What the client may give, and here must. */
export async function given<T>(asked: Promise<T | undefined>): Promise<T> {
  const answer = await asked
  if (answer === undefined) throw new Error('the client gave nothing')
  return answer
}

/** The short IDs of what the client gives as a Map. */
export async function ids(asked: Promise<Map<string, unknown>>): Promise<string[]> {
  return [...(await asked).keys()]
}

export function fronting({ members }: pkapi.Switch): string[] {
  return [...(members ?? []).keys()].map(String)
}

/** The client’s type for a mode is an enumeration that it does not export. */
export function mode(word: string): NonNullable<pkapi.ISystemAutoproxySettings['autoproxy_mode']> {
  return word as ReturnType<typeof mode>
}

function noteCalls(type: { name: string; prototype: object }): string[] {
  const own = Object.entries(Object.getOwnPropertyDescriptors(type.prototype)).filter(
    ([name, { value }]) => name !== 'constructor' && typeof value === 'function',
  )
  return own.map(([name, { value }]) => {
    const noted = `${type.name}.${name}`
    Object.defineProperty(type.prototype, name, {
      value(this: unknown, ...args: unknown[]) {
        called.add(noted)
        return value.apply(this, args)
      },
    })
    return noted
  })
}
