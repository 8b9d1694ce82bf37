import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ignoreReasons, refuseReasons } from '../../../src/model/proxy/decide'
import { document } from '../../openapiDocument'

/** What a client author reads of an operation, and what a generator makes a function of. */
interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: [string]
  deprecated?: boolean
  security?: Record<string, never[]>[]
  parameters?: { $ref?: string; name?: string; in?: string; description?: string }[]
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> }
}

interface Named {
  paths: Record<string, Record<string, Operation>>
  tags: { name: string; description?: string }[]
}

const { paths, tags }: Named = JSON.parse(JSON.stringify(document))

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    line: `${method.toUpperCase()} ${path}`,
    path,
    operation,
  })),
)

/** The plugin makes `getV2SystemsBySystemRef` of a route that does not name itself. */
const MADE_UP = /^(get|post|put|patch|delete)(V1|V2|Bot|Private)[A-Z]|By[A-Z]/

describe.each(operations)('$line', ({ line, path, operation }) => {
  test('has a name that one would write by hand', () => {
    const { operationId } = operation
    if (MADE_UP.test(operationId))
      throw new Error(`${line} has no name: give its describe({ … }) an \`id\`, such as getSystem`)
    expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]*)*(V1)?$/)
    expect(operationId.endsWith('V1')).toBe(path.startsWith('/v1/'))
  })

  test('is described in a sentence or two', () => {
    const { description = '', summary } = operation
    if (description === '')
      throw new Error(`${line} says only its summary: give its describe({ … }) a \`description\``)
    expect(description).toMatch(/^[A-Z`][\s\S]{20,}\.$/)
    expect(description).not.toBe(summary)
  })

  test('has an example for its body', () => {
    for (const content of Object.values(operation.requestBody?.content ?? {}))
      if (content.example === undefined)
        throw new Error(`${line} shows no body: give its body’s schema an \`example\``)
  })

  test('says who may call it', () => {
    const { security = [] } = operation
    const names = security.map((choice) => Object.keys(choice).join())
    if (path.startsWith('/bot/')) expect(names).toEqual(['botKey'])
    else expect(names.slice(0, 2)).toEqual(['token', 'botKey'])
    // The empty choice is nobody: writes are never theirs, but to log in.
    const isLogin = /^POST \/web\/(session|login)$/.test(line)
    if (!line.startsWith('GET')) expect(names.includes('')).toBe(isLogin)
  })

  test('takes X-System where it is read', () => {
    const pointers = (operation.parameters ?? []).map(({ $ref }) => $ref)
    expect(pointers.includes('#/components/parameters/XSystem')).toBe(!path.startsWith('/bot/'))
  })
})

test('no two operations have one name', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  for (const name of ['getSystem', 'listMembers', 'createSwitch', 'recordMessage'])
    expect(names).toContain(name)
})

test('every section is described, and every section has something in it', () => {
  const used = new Set(operations.map(({ operation }) => operation.tags[0]))
  expect(tags.map(({ name }) => name).toSorted()).toEqual([...used].toSorted())
  for (const { name, description } of tags) expect([name, description]).toEqual([name, SENTENCE])
})

const SENTENCE = expect.stringMatching(/^[A-Z].{20,}\.$/s)

describe('a bot developer finds', () => {
  const words = (line: string) => {
    const found = operations.find((known) => known.line === line)
    return JSON.stringify(found?.operation)
  }

  test.each(['unlatch', 'autoproxy_off', 'ignore', 'refuse', 'proxy'])(
    'what to do on %s',
    (action) => {
      const { description = '' } = paths['/bot/proxy']?.post ?? {}
      expect(description).toMatch(new RegExp(`\`${action}\`.{40,}`))
    },
  )

  test('what plain_name is for', () => {
    expect(words('POST /bot/proxy')).toMatch(/"plain_name":\{"description":"[^"]{60,}/)
  })

  test('one name for the token of a system, and one for that of a webhook', () => {
    const about = operations.filter(({ path }) => path.includes('/webhook'))
    for (const { line } of about) {
      const said = words(line).match(/[^"]*\btokens?\b[^"]*/gi) ?? []
      const unclear = said.filter((text) => /(?<!signing )(?<!signing_)\btoken\b/i.test(text))
      // The key itself, and the name of the way to authorize.
      expect([line, unclear.filter((text) => text !== 'token')]).toEqual([line, []])
    }
    expect(words('PUT /v2/systems/@me/webhook')).toContain('`signing_token`')
    const others = operations.filter(({ path }) => !path.includes('/webhook'))
    for (const { line } of others)
      expect([line, /signing/i.test(words(line))]).toEqual([line, false])
  })
})

describe('the chapter for bots', () => {
  const chapter = readFileSync(join(import.meta.dir, '../../../docs/bots.md'), 'utf8')

  test('names every route for bots', () => {
    const forBots = operations.filter(({ path }) => path.startsWith('/bot/'))
    expect(forBots.length).toBeGreaterThan(15)
    const missing = forBots.filter(({ path }) => !chapter.includes(path))
    expect(missing.map(({ line }) => line)).toEqual([])
  })

  test('names every reason', () => {
    const reasons = [...ignoreReasons, ...refuseReasons]
    expect(reasons.filter((reason) => !chapter.includes(`\`${reason}\``))).toEqual([])
  })

  test('leads to what is there', () => {
    const headings = [...chapter.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
    const links = [...chapter.matchAll(/\]\(#([^)]+)\)/g)].map(([, link]) => link)
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter((link) => !headings.includes(link ?? ''))).toEqual([])
  })
})
