import Ajv from 'ajv'
import { pictureTypes } from '../../../src/model/pictures/picture'
import { document as served } from '../../tools/openapiDocument'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { ask, makeSystem } = createTestApp()

describe('the API page', () => {
  test('the API page refers to no other server', async () => {
    const { text, headers } = await ask('GET /docs')
    expect(headers.get('content-type')).toStartWith('text/html')
    // The SVG namespace looks like a URL, but is never requested.
    const page = text.replaceAll("xmlns='http://www.w3.org/2000/svg'", '')
    expect(page).not.toMatch(/https?:|["'(]\/\//)
    expect((await ask('GET /docs/start.js')).text).not.toMatch(/https?:|["']\/\//)
  })

  test('the server has every file that the API page refers to', async () => {
    const { text } = await ask('GET /docs')
    const files = [...text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file]) => file)
    expect(files).toHaveLength(4)
    for (const file of files) {
      const path = new URL(file ?? '', 'http://localhost/docs').pathname
      const { status, headers, text } = await ask(`GET ${path}`)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toStartWith(
        path.endsWith('.css') ? 'text/css' : 'text/javascript',
      )
      expect(text.length).toBeGreaterThan(100)
    }
  })

  test('the style sheet of the API page loads nothing', async () => {
    const { text } = await ask('GET /docs/swagger-ui.css')
    expect(text).not.toContain('@import')
    expect([...text.matchAll(/url\((?!["']?data:)/g)]).toEqual([])
  })

  test('the API page loads the document of this server and calls no validator', async () => {
    const { text } = await ask('GET /docs/start.js')
    expect(text).toContain("url: 'openapi.json'")
    expect(text).toContain('validatorUrl: null')
    expect((await ask('GET /docs/swagger-ui-bundle.js')).text).toContain('SwaggerUIBundle')
  })

  test('the API page is collapsed, has a filter and follows the dark mode of the device', async () => {
    const { text } = await ask('GET /docs/start.js')
    expect(text).toContain("docExpansion: 'none'")
    expect(text).toContain('filter: true')
    expect(text).toContain('(prefers-color-scheme: dark)')
    // Class that the style sheet uses for its dark mode.
    expect(text).toContain("'dark-mode'")
    expect((await ask('GET /docs/swagger-ui.css')).text).toContain('html.dark-mode')
  })

  const paths = [
    '/docs',
    '/docs/',
    '/docs/start.js',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.css',
    '/docs/missing',
  ]
  test.each(paths)(
    '%s has headers that forbid framing and loading resources from other origins',
    async (path) => {
      const { headers } = await ask(`GET ${path}`)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('content-security-policy')?.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ])
    },
  )

  test('the content security policy of the API page allows requests to PUBLIC_URL', async () => {
    const testApp = createTestApp({ PUBLIC_URL: 'https://plural.example/multitude/' })
    const { headers } = await testApp.ask('GET /docs')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("; connect-src 'self' https://plural.example; ")
  })

  test.each(['/docs/'])('%s redirects to the API page', async (path) => {
    const { status, headers } = await ask(`GET ${path}`)
    expect(status).toBe(302)
    const { pathname } = new URL(headers.get('location') ?? '', `http://localhost${path}`)
    expect(pathname).toBe('/docs')
  })
})

interface Operation {
  summary?: string
  tags?: string[]
  operationId?: string
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, { schema: object }> }
  security?: object[]
  responses: Record<string, ResponseObject>
}

interface ResponseObject {
  description: string
  headers?: Record<string, object>
  content?: Record<string, { schema: object }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { [kind: string]: Record<string, object>; schemas: Record<string, object> }
}

const document: Document = JSON.parse(JSON.stringify(served))

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Operation] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
)

describe('the API document', () => {
  test('GET /openapi.json returns the API document', async () => {
    const { json, headers } = await ask('GET /openapi.json')
    expect(headers.get('content-type')).toStartWith('application/json')
    expect(json).toEqual({ ...document })
    expect(json).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Multitude' },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          token: { type: 'apiKey', in: 'header', name: 'Authorization' },
          botKey: { type: 'apiKey', in: 'header', name: 'Authorization' },
        },
      },
    })
  })

  test('the API document names PUBLIC_URL as its server', async () => {
    const { json } = await createTestApp({ PUBLIC_URL: 'https://plural.example/' }).ask(
      'GET /openapi.json',
    )
    expect(json.servers).toEqual([{ url: 'https://plural.example' }])
  })

  test('the API document lists every path once, with its version prefix', () => {
    expect(operations.map(([line]) => line)).toContain('PATCH /v2/systems/{systemRef}')
    expect(
      Object.keys(document.paths).filter(
        (path) => !/^\/(v\d|ext\/v\d|pictures|bot|private|web)\//.test(path),
      ),
    ).toEqual([])
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(operations)('documents summary, parameters and responses of %s', (line, operation) => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.tags).toHaveLength(1)
    const statuses = Object.keys(operation.responses)
    expect(statuses.filter((status) => status.startsWith('2'))).not.toEqual([])
    expect(statuses).toEqual(expect.arrayContaining(['429', '500', '503']))
    if (!line.startsWith('GET')) expect(statuses).toContain('401')
    const placeholders = [...line.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '')
    const pathParameters = (operation.parameters ?? []).filter(
      (parameter) => parameter.in === 'path',
    )
    expect(pathParameters.map(({ name }) => name).toSorted()).toEqual(placeholders.toSorted())
    expect(pathParameters.every(({ required }) => required)).toBe(true)
    if (operation.requestBody)
      expect(Object.keys(operation.requestBody.content)).toEqual(
        line.endsWith('/picture') ? Object.values(pictureTypes) : ['application/json'],
      )
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      expect(description).not.toBe('')
      if (Number(status) >= 400)
        expect(content?.['application/json']?.schema).toEqual({
          $ref: `#/components/schemas/${line.includes(' /ext/') ? 'ExtError' : 'Error'}`,
        })
    }
  })

  test.each([
    ['GET /v2/systems/{systemRef}', '192.0.2.1', [200, 429]],
    ['GET /v2/systems/{systemRef}', '127.0.0.1', [200]],
    ['GET /bot/accounts/{account_id}', '192.0.2.2', [401, 429]],
  ])('documents the headers of responses to %s from %s', async (line, peer, expected) => {
    const { makeSystem, ask } = createTestApp({ RATE_LIMIT: 'generic_get=1' })
    const { hid } = await makeSystem()
    const [, operation] = operations.find(([known]) => known === line) ?? []
    const request = line.replace('{systemRef}', hid).replace('{account_id}', '1')
    const responses = [await ask(request, { peer }), await ask(request, { peer })]
    expect([...new Set(responses.map(({ status }) => status))]).toEqual(expected)
    for (const { status, headers } of responses) {
      const documented = Object.keys(operation?.responses[status]?.headers ?? {})
      const sent = [...headers.keys()].filter((name) => /^(x-ratelimit|retry)/.test(name))
      const expectedHeaders = documented.map((name) => name.toLowerCase())
      // 401 responses have rate limit headers too; only the introduction documents them.
      if (status !== 401) expect(expectedHeaders).toEqual(expect.arrayContaining(sent))
      if (status === 429) expect(sent.toSorted()).toEqual(expectedHeaders.toSorted())
      if (status === 200) expect(expectedHeaders).toContain('x-request-id')
      if (status === 200 && peer !== '127.0.0.1') expect(sent).toHaveLength(4)
    }
  })

  test('documents Retry-After for 429 and 503', () => {
    for (const [, { responses }] of operations)
      for (const status of [429, 503])
        expect(Object.keys(responses[status]?.headers ?? {})).toContain('Retry-After')
  })

  test('documents which reads need a token', async () => {
    const { hid } = await makeSystem()
    for (const [line, { security = [] }] of operations) {
      if (!line.startsWith('GET') || line.includes(' /bot/')) continue
      // HEAD, because a stream would not end.
      const filled = line
        .replace('GET', 'HEAD')
        .replace('{systemRef}', hid)
        .replace(/\{guild_id\}/, '1')
      const format = line.endsWith('/export') ? 'pluralport' : 'csv'
      const path = filled.replace(/\{\w+\}/, 'zzzzz')
      const { status } = await ask(`${path}?guild_id=1&format=${format}`)
      const isPublic = security.some((choice) => Object.keys(choice).length === 0)
      // For these the response is 404, because the member is looked up first.
      if (!line.includes('/members/{memberRef}/guilds/'))
        expect([line, status !== 401]).toEqual([line, isPublic])
    }
  })

  test('references in the API document resolve, and its schemas compile', () => {
    const text = JSON.stringify(document)
    const pointers = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
    for (const [, kind = '', name = ''] of pointers)
      expect(document.components).toHaveProperty([kind, name])
    expect(text.match(/"\$ref":/g)).toHaveLength(pointers.length)
    const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true })
    ajv.addSchema({ $id: 'document', components: document.components })
    for (const name of Object.keys(document.components.schemas))
      expect(ajv.getSchema(`document#/components/schemas/${name}`)).toBeFunction()
  })

  test.each(['example', 'default'])(
    'every %s in the API document matches its schema',
    (keyword) => {
      const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true })
      const values: unknown[] = []
      walk(document, (node) => {
        if (!(keyword in node) || !('type' in node)) return
        const value = node[keyword]
        values.push(value)
        if (!ajv.validate(node, value))
          throw new Error(`${JSON.stringify(value)}: ${ajv.errorsText()}`)
      })
      expect(values.length).toBeGreaterThan(1)
    },
  )
})

function walk(node: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) visit(node as Record<string, unknown>)
  for (const child of Object.values(node)) walk(child, visit)
}
