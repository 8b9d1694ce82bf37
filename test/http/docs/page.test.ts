import { describe, expect, test } from 'bun:test'
import Ajv from 'ajv'
import { document as served } from '../../openapiDocument'
import { createTestApp } from '../../testApp'

const { ask, makeSystem } = createTestApp()

describe('the API page', () => {
  test('names nothing outside this server', async () => {
    const { text, headers } = await ask('GET /docs')
    expect(headers.get('content-type')).toStartWith('text/html')
    // The name of the SVG language looks like an address; nobody goes there.
    const page = text.replaceAll("xmlns='http://www.w3.org/2000/svg'", '')
    expect(page).not.toMatch(/https?:|["'(]\/\//)
    expect((await ask('GET /docs/start.js')).text).not.toMatch(/https?:|["']\/\//)
  })

  test('has every file that it names', async () => {
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

  test('has a style that loads nothing', async () => {
    const { text } = await ask('GET /docs/swagger-ui.css')
    expect(text).not.toContain('@import')
    expect([...text.matchAll(/url\((?!["']?data:)/g)]).toEqual([])
  })

  test('reads the document of this server, and asks no validator', async () => {
    const { text } = await ask('GET /docs/start.js')
    expect(text).toContain("url: 'openapi.json'")
    expect(text).toContain('validatorUrl: null')
    expect((await ask('GET /docs/swagger-ui-bundle.js')).text).toContain('SwaggerUIBundle')
  })

  test('is folded, has a filter, and is dark when the system is', async () => {
    const { text } = await ask('GET /docs/start.js')
    expect(text).toContain("docExpansion: 'none'")
    expect(text).toContain('filter: true')
    expect(text).toContain('(prefers-color-scheme: dark)')
    // The class that its style knows.
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
  test.each(paths)('cannot be framed and loads its own files only: %s', async (path) => {
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
  })

  test('may send requests to the public address that its document names', async () => {
    const elsewhere = createTestApp({ PUBLIC_URL: 'https://plural.example/multitude/' })
    const { headers } = await elsewhere.ask('GET /docs')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("; connect-src 'self' https://plural.example; ")
  })

  test.each(['/docs/'])('is where %s leads', async (path) => {
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
  responses: Record<string, Answer>
}

interface Answer {
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

describe('the document', () => {
  test('is served as it is', async () => {
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

  test('names the address under which others reach this server', async () => {
    const { json } = await createTestApp({ PUBLIC_URL: 'https://plural.example/' }).ask(
      'GET /openapi.json',
    )
    expect(json.servers).toEqual([{ url: 'https://plural.example' }])
  })

  test('lists every path once, under its version', () => {
    expect(operations.map(([line]) => line)).toContain('PATCH /v2/systems/{systemRef}')
    expect(
      Object.keys(document.paths).filter((path) => !/^\/(v\d|bot|private|web)\//.test(path)),
    ).toEqual([])
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(operations)('says what %s does, takes and answers', (line, operation) => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.tags).toHaveLength(1)
    const statuses = Object.keys(operation.responses)
    expect(statuses.filter((status) => status.startsWith('2'))).not.toEqual([])
    expect(statuses).toEqual(expect.arrayContaining(['429', '500', '503']))
    if (!line.startsWith('GET')) expect(statuses).toContain('401')
    const placeholders = [...line.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '')
    const taken = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    expect(taken.map(({ name }) => name).toSorted()).toEqual(placeholders.toSorted())
    expect(taken.every(({ required }) => required)).toBe(true)
    if (operation.requestBody)
      expect(Object.keys(operation.requestBody.content)).toEqual(['application/json'])
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      expect(description).not.toBe('')
      if (Number(status) >= 400)
        expect(content?.['application/json']?.schema).toEqual({
          $ref: '#/components/schemas/Error',
        })
    }
  })

  test.each([
    ['GET /v2/systems/{systemRef}', '192.0.2.1', [200, 429]],
    ['GET /v2/systems/{systemRef}', '127.0.0.1', [200]],
    ['GET /bot/accounts/{account_id}', '192.0.2.2', [401, 429]],
  ])('names the headers that come with %s from %s', async (line, peer, expected) => {
    const { makeSystem, ask } = createTestApp({ RATE_LIMIT: 'generic_get=1' })
    const { hid } = await makeSystem()
    const [, operation] = operations.find(([known]) => known === line) ?? []
    const asked = line.replace('{systemRef}', hid).replace('{account_id}', '1')
    const answers = [await ask(asked, { peer }), await ask(asked, { peer })]
    expect([...new Set(answers.map(({ status }) => status))]).toEqual(expected)
    for (const { status, headers } of answers) {
      const named = Object.keys(operation?.responses[status]?.headers ?? {})
      const sent = [...headers.keys()].filter((name) => /^(x-ratelimit|retry)/.test(name))
      const promised = named.map((name) => name.toLowerCase())
      // Refusals are counted like everything; that is said once, in the introduction.
      if (status !== 401) expect(promised).toEqual(expect.arrayContaining(sent))
      if (status === 429) expect(sent.toSorted()).toEqual(promised.toSorted())
      if (status === 200) expect(promised).toContain('x-request-id')
      if (status === 200 && peer !== '127.0.0.1') expect(sent).toHaveLength(4)
    }
  })

  test('says of 429 and 503 when to come back', () => {
    for (const [, { responses }] of operations)
      for (const status of [429, 503])
        expect(Object.keys(responses[status]?.headers ?? {})).toContain('Retry-After')
  })

  test('knows which reads are nobody’s without a token', async () => {
    const { hid } = await makeSystem()
    for (const [line, { security = [] }] of operations) {
      if (!line.startsWith('GET') || line.includes(' /bot/')) continue
      // Of a stream, the head is enough.
      const filled = line
        .replace('GET', 'HEAD')
        .replace('{systemRef}', hid)
        .replace(/\{guild_id\}/, '1')
      const { status } = await ask(`${filled.replace(/\{\w+\}/, 'zzzzz')}?guild_id=1&format=csv`)
      const isOpen = security.some((choice) => Object.keys(choice).length === 0)
      // Of somebody else's member it is said first that it is not there.
      if (!line.includes('/members/{memberRef}/guilds/'))
        expect([line, status !== 401]).toEqual([line, isOpen])
    }
  })

  test('points only at what it has, in schemas that hold', () => {
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

  test.each(['example', 'default'])('has no %s that its own schema does not allow', (keyword) => {
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
  })
})

function walk(node: unknown, look: (node: Record<string, unknown>) => void): void {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) look(node as Record<string, unknown>)
  for (const child of Object.values(node)) walk(child, look)
}
