import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { document } from '../../tools/openapiDocument'
import { execute } from '../../tools/rawSql'
import { allCallers, createFixture, type Json, type Who } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const TAG = 'Version 1 (deprecated)'

const systemKeys = [
  'id',
  'name',
  'description',
  'tag',
  'color',
  'avatar_url',
  'banner',
  'tz',
  'created',
  'description_privacy',
  'member_list_privacy',
  'front_privacy',
  'front_history_privacy',
]

const memberKeys = [
  'id',
  'name',
  'display_name',
  'description',
  'pronouns',
  'color',
  'avatar_url',
  'banner',
  'birthday',
  'prefix',
  'suffix',
  'proxy_tags',
  'keep_proxy',
  'created',
  'privacy',
  'visibility',
  'name_privacy',
  'description_privacy',
  'avatar_privacy',
  'birthday_privacy',
  'pronoun_privacy',
  'metadata_privacy',
]

const switchKeys = ['timestamp', 'members']
const messageKeys = ['timestamp', 'id', 'original', 'sender', 'channel', 'system', 'member']
const readOnly = ['id', 'created']

interface Endpoint {
  /** Keys of the response, or of each item of a list; undefined when the response is 204. */
  keys?: string[]
  /** Keys that the body accepts. */
  accepts?: string[]
}

/** Endpoints of version 1 in the PluralKit API. */
const endpoints: Record<string, Endpoint> = {
  'GET /v1/s': { keys: systemKeys },
  'GET /v1/s/{id}': { keys: systemKeys },
  'GET /v1/s/{id}/members': { keys: memberKeys },
  'GET /v1/s/{id}/switches': { keys: switchKeys },
  'GET /v1/s/{id}/fronters': { keys: switchKeys },
  'PATCH /v1/s': { keys: systemKeys, accepts: without(systemKeys, readOnly) },
  'POST /v1/s/switches': { accepts: ['members'] },
  'GET /v1/m/{id}': { keys: memberKeys },
  'POST /v1/m': { keys: memberKeys, accepts: without(memberKeys, readOnly) },
  'PATCH /v1/m/{id}': { keys: memberKeys, accepts: without(memberKeys, readOnly) },
  'DELETE /v1/m/{id}': {},
  'GET /v1/a/{id}': { keys: systemKeys },
  'GET /v1/msg/{id}': { keys: messageKeys },
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    line: `${method.toUpperCase()} ${path}`,
    operation: operation as typeof operation & Described,
  })),
)

interface Described {
  summary?: string
  deprecated?: boolean
  tags?: string[]
  requestBody?: { content: Record<string, { schema: Shape }> }
}

interface Shape {
  properties?: Json
  required?: string[]
  items?: Shape
}

describe('API document of version 1', () => {
  const v1Operations = operations.filter(({ line }) => line.includes(' /v1'))

  test('documents exactly the endpoints of version 1', () => {
    expect(v1Operations.map(({ line }) => line).toSorted()).toEqual(
      Object.keys(endpoints).toSorted(),
    )
  })

  test('marks version 1, and nothing else, as deprecated and puts it in its own section', () => {
    const inSection = operations.filter(({ operation }) => operation.tags?.includes(TAG))
    const deprecated = operations.filter(({ operation }) => operation.deprecated === true)
    expect(inSection).toEqual(v1Operations)
    expect(deprecated).toEqual(v1Operations)
    for (const { operation } of v1Operations) expect(operation.tags).toEqual([TAG])
    for (const { line, operation } of v1Operations) expect(operation.summary, line).toMatch(/\w/)
  })

  test.each(v1Operations)('documents exactly the keys of $line', ({ line, operation }) => {
    const { keys, accepts } = endpoints[line] ?? {}
    const schema: Shape | undefined =
      operation.responses[200]?.content?.['application/json']?.schema
    const { properties = {}, required = [] } = schema?.items ?? schema ?? {}
    expect(Object.keys(properties).toSorted()).toEqual((keys ?? []).toSorted())
    expect(required.toSorted()).toEqual((keys ?? []).toSorted())
    expect(204 in operation.responses).toBe(keys === undefined)
    const accepted = operation.requestBody?.content['application/json']?.schema.properties ?? {}
    expect(Object.keys(accepted).toSorted()).toEqual((accepts ?? []).toSorted())
  })

  test.each([
    ['GET /v1/s', [401]],
    ['GET /v1/s/{id}', [404]],
    ['GET /v1/s/{id}/members', [403, 404]],
    ['GET /v1/s/{id}/switches', [400, 403, 404]],
    ['GET /v1/s/{id}/fronters', [403, 404]],
    ['PATCH /v1/s', [400, 401, 413]],
    ['POST /v1/s/switches', [400, 401, 413]],
    ['GET /v1/m/{id}', [404]],
    ['POST /v1/m', [400, 401, 413]],
    ['PATCH /v1/m/{id}', [400, 401, 403, 404, 413]],
    ['DELETE /v1/m/{id}', [401, 403, 404]],
    ['GET /v1/a/{id}', [404]],
    ['GET /v1/msg/{id}', [404]],
  ])('documents the errors of %s', (line, statuses) => {
    const responses = v1Operations.find((known) => known.line === line)?.operation.responses ?? {}
    expect(Object.keys(responses).map(Number)).toEqual(expect.arrayContaining([...statuses, 429]))
  })

  test('documents every error code of logging a switch', () => {
    const { operation } = v1Operations.find(({ line }) => line === 'POST /v1/s/switches') ?? {}
    const badRequest = JSON.stringify(operation?.responses[400])
    for (const code of [0, 40001, 40003, 40004]) expect(badRequest).toContain(`\`${code}\` `)
  })
})

const testApp = createTestApp()

/** Successful requests, their callers, and the keys of the response or of each item of a list. */
const successes: [line: string, who: Who[], keys: string[], body?: object][] = [
  ['GET /v1/s', ['owner', 'other'], systemKeys],
  ['GET /v1/s/<own>', allCallers, systemKeys],
  ['GET /v1/a/<account>', allCallers, systemKeys],
  ['PATCH /v1/s', ['owner'], systemKeys, { name: 'Vale' }],
  ['GET /v1/s/<own>/members', allCallers, memberKeys],
  ['GET /v1/m/<wren>', allCallers, memberKeys],
  ['POST /v1/m', ['owner'], memberKeys, { name: 'Robin' }],
  ['PATCH /v1/m/<wren>', ['owner'], memberKeys, { name: 'Jenny' }],
  ['GET /v1/s/<own>/switches', allCallers, switchKeys],
  ['GET /v1/s/<own>/fronters', allCallers, switchKeys],
  ['GET /v1/msg/<message>', allCallers, messageKeys],
]

describe('responses of version 1', () => {
  const rows = successes.map(([line, who, keys, body]) => ({ line, who, keys, body }))
  test.each(rows)(
    '$line returns exactly the documented keys',
    async ({ line, who, keys, body }) => {
      const { ask } = await createFixture(testApp)
      for (const as of who) {
        const { status, json } = await ask<Json | Json[]>(line, body, as)
        expect(status).toBe(200)
        for (const one of [json].flat())
          expect(Object.keys(one).toSorted()).toEqual(keys.toSorted())
      }
    },
  )

  test('messages and fronters of version 1 contain complete systems and members', async () => {
    const { get } = await createFixture(testApp)
    for (const who of allCallers) {
      const { system, member } = await get<Record<string, Json>>('GET /v1/msg/<message>', who)
      const { members } = await get<{ members: Json[] }>('GET /v1/s/<own>/fronters', who)
      expect(Object.keys(system ?? {}).toSorted()).toEqual(systemKeys.toSorted())
      for (const one of [member, ...members])
        expect(Object.keys(one ?? {}).toSorted()).toEqual(memberKeys.toSorted())
    }
  })
})

const LARGE = JSON.stringify({ name: 'x'.repeat(1024 * 1024) })

const requests: [line: string, status: number, who?: Who, body?: unknown][] = [
  ['GET /v1/s', 200],
  ['HEAD /v1/s', 200],
  ['GET /v1/s/', 200],
  ['GET /v1/msg/<message>', 200, 'anonymous'],
  ['PATCH /v1/m/<wren>', 200, 'owner', { name: 'Jenny' }],
  ['DELETE /v1/m/<heron>', 204],
  ['POST /v1/s/switches', 204, 'owner', { members: [] }],
  ['PATCH /v1/s', 400, 'owner', {}],
  ['PATCH /v1/s', 400, 'owner', 'nope'],
  ['PATCH /v1/s', 400, 'owner', { color: 'red' }],
  ['GET /v1/s/%ZZ', 400],
  ['GET /v1/s/<own>/switches?before=', 400],
  ['GET /v1/s', 401, 'anonymous'],
  ['DELETE /v1/m/<wren>', 401, 'anonymous'],
  ['DELETE /v1/m/<wren>', 403, 'other'],
  ['GET /v1/m/qqqqq', 404],
  ['GET /v1/nowhere', 404],
  ['GET /v1', 404],
  ['DELETE /v1/s', 405],
  ['POST /v1/m', 413, 'owner', LARGE],
]

describe('deprecation headers of version 1', () => {
  test.each(requests)(
    '%s sends deprecation headers with status %i',
    async (line, status, who = 'owner', body = undefined) => {
      const { ask } = await createFixture(testApp)
      const answer = await ask(line, body, who)
      expect(answer.status).toBe(status)
      expectDeprecated(answer.headers)
    },
  )

  test('a rate-limited request of version 1 gets deprecation headers', async () => {
    const pending = Array.from({ length: 40 }, () =>
      testApp.ask('GET /v1/s', { peer: '192.0.2.7' }),
    )
    const refused = (await Promise.all(pending)).filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const { headers } of refused) expectDeprecated(headers)
  })

  test('a failed request of version 1 gets deprecation headers and a 500 without details', async () => {
    const broken = createTestApp()
    await broken.deps.transact('new', (tx) => execute(tx, 'drop table messages'))
    const { status, json, headers } = await broken.ask('GET /v1/msg/1')
    expect({ status, json }).toEqual({
      status: 500,
      json: { message: '500: Internal Server Error', code: 0 },
    })
    expectDeprecated(headers)
  })

  test.each(['/v2/systems/@me', '/systems/@me', '/v2/s', '/v1x', '/nowhere', '/health'])(
    '%s sends no deprecation headers',
    async (path) => {
      const { headers } = await testApp.ask(`GET ${path}`)
      expect([headers.get('deprecation'), headers.get('link')]).toEqual([null, null])
    },
  )

  test('the deprecation link of version 1 leads to an existing page', async () => {
    const { headers } = await testApp.ask('GET /v1/s')
    const [, page] = /^<([^>]+)>/.exec(headers.get('link') ?? '') ?? []
    expect((await testApp.ask(`GET ${page}`)).status).toBe(200)
  })
})

describe('removal of version 1', () => {
  const src = join(import.meta.dir, '../../../src')
  const files = [...new Bun.Glob('**/*.ts').scanSync(src)]
  const isV1 = (file: string) => file === 'serializers/v1.ts' || file.startsWith('http/v1/')
  const importsV1 = (file: string) =>
    importsOf(readFileSync(join(src, file), 'utf8')).some((target) => /(^|\/)v1(\/|$)/.test(target))

  test('only http/apiModules.ts imports version 1', () => {
    const importers = files.filter((file) => !isV1(file) && importsV1(file))
    expect(files.filter(isV1).length).toBeGreaterThan(4)
    expect(importers).toEqual(['http/apiModules.ts'])
  })
})

function importsOf(source: string): string[] {
  const found = source.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"]([^'"]+)['"]/g)
  return [...found].flatMap(([, target]) => target ?? [])
}

function expectDeprecated(headers: Headers): void {
  expect(headers.get('deprecation')).toBe('true')
  expect(headers.get('link')).toMatch(/^<[^>]+>; rel="deprecation"$/)
}

function without(keys: string[], excluded: string[]): string[] {
  return keys.filter((key) => !excluded.includes(key))
}
