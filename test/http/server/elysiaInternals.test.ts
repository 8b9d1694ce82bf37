import { swagger } from '@elysiajs/swagger'
import { Elysia, t } from 'elysia'
import {
  deferDetails,
  keepsRepeats,
  listRoutes,
  parseDocument,
  takeDeferredDetails,
  unparsedBody,
} from '../../../src/http/server/elysiaInternals'
import { describe, expect, test } from '../../tools/test'

describe('internals of Elysia', () => {
  test('the keyword of a parameter keeps all of its values', async () => {
    const values = async (keyword: object) => {
      const name = t.Optional(t.Unsafe<unknown>({ ...t.Unknown(), ...keyword }))
      const app = new Elysia({ normalize: false }).get(
        '/',
        ({ query }) => JSON.stringify(query.name ?? null),
        { query: t.Object({ name }) },
      )
      const send = async (query: string) =>
        (await app.handle(new Request(`http://localhost/${query}`))).json()
      return [await send('?name=a&name=b'), await send('?name=a'), await send('')]
    }
    expect(await values(keepsRepeats)).toEqual([['a', 'b'], 'a', null])
    expect(await values({})).toEqual(['b', 'a', null])
  })

  test('the document has deferred details, and no keywords of Elysia after it was parsed', async () => {
    const name = t.Optional(t.Unsafe<unknown>({ ...t.Unknown(), ...keepsRepeats }))
    const app = new Elysia({ normalize: false })
      .get('/things/:ref', () => '', {
        query: t.Object({ name }),
        detail: { summary: 'Get a thing', ...deferDetails({ errors: ['gone'] }) },
      })
      .use(swagger({ path: '/page', specPath: '/document' }))
    const response = await app.handle(new Request('http://localhost/document'))
    const text = await response.text()
    expect(text).toContain('elysiaMeta')
    const document = parseDocument(text) as { paths: Record<string, { get: object }> }
    expect(JSON.stringify(document)).not.toContain('elysiaMeta')
    const operation = document.paths['/things/{ref}']?.get ?? {}
    expect(takeDeferredDetails(operation)).toEqual({ errors: ['gone'] })
    expect(takeDeferredDetails(operation)).toBeUndefined()
    expect(operation).toMatchObject({ summary: 'Get a thing' })
  })

  test('the routes of plugins have their prefixes, and one notation each', () => {
    const handler = () => ''
    const things = new Elysia({ normalize: false }).get('/things/:ref', handler).post('/', handler)
    const app = new Elysia().use(new Elysia({ prefix: '/v2' }).use(things)).get('/', handler)
    expect(listRoutes(app).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v2/things/:ref',
      'POST /v2/',
      'GET /',
    ])
  })

  test('a route receives the body that a hook derives, and Elysia does not read it', async () => {
    const failure = new Error('refused')
    const app = new Elysia({ normalize: false })
      .guard(unparsedBody)
      .derive(async ({ request }) => {
        if (request.headers.has('x-refuse')) throw failure
        return { body: { text: await request.text() } }
      })
      .onError(({ error }) => String(error === failure))
      .post('/', ({ body }) => body, { body: t.Unsafe<{ text: string }>(t.Unknown()) })
    const send = async (headers: Record<string, string>) => {
      const request = new Request('http://localhost/', { method: 'POST', body: '{"a":1}', headers })
      return [await (await app.handle(request)).text(), request.bodyUsed]
    }
    expect(await send({ 'content-type': 'application/json' })).toEqual([
      '{"text":"{\\"a\\":1}"}',
      true,
    ])
    expect(await send({ 'x-refuse': '1' })).toEqual(['true', false])
  })

  test('a response of a hook is not copied if the status of the route is 200', async () => {
    const made = new Response('{}', { status: 201 })
    const send = (status: number) =>
      new Elysia({ normalize: false })
        .mapResponse(async ({ set }) => {
          set.status = status
          return made
        })
        .post('/', ({ set }) => {
          set.status = 201
          return '{}'
        })
        .handle(new Request('http://localhost/', { method: 'POST' }))
    expect(await send(200)).toBe(made)
    expect(await send(201)).not.toBe(made)
  })
})
