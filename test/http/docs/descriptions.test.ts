import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ignoreReasons, refuseReasons } from '../../../src/model/proxy/decide'
import { document } from '../../tools/openapiDocument'
import { describe, expect, test } from '../../tools/test'

/** Parts of an operation that developers read and client generators use. */
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

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  tags: { name: string; description?: string }[]
}

const { paths, tags }: ApiDocument = JSON.parse(JSON.stringify(document))

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    line: `${method.toUpperCase()} ${path}`,
    path,
    operation,
  })),
)

/** Pattern of the IDs that the plugin generates, such as `getV2SystemsBySystemRef`. */
const GENERATED_ID = /^(get|post|put|patch|delete)(V1|V2|Bot|Private)[A-Z]|By[A-Z]/

describe.each(operations)('$line', ({ line, path, operation }) => {
  test(`${line} has a handwritten operation ID`, () => {
    const { operationId } = operation
    if (GENERATED_ID.test(operationId))
      throw new Error(
        `${line} has no operation ID: give its describe({ … }) an \`id\`, such as getSystem`,
      )
    expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]*)*(V1)?$/)
    expect(operationId.endsWith('V1')).toBe(path.startsWith('/v1/'))
  })

  test(`${line} has a description`, () => {
    const { description = '', summary } = operation
    if (description === '')
      throw new Error(`${line} has only a summary: give its describe({ … }) a \`description\``)
    expect(description).toMatch(/^[A-Z`][\s\S]{20,}\.$/)
    expect(description).not.toBe(summary)
  })

  test(`${line} has an example for its body`, () => {
    for (const content of Object.values(operation.requestBody?.content ?? {}))
      if (content.example === undefined)
        throw new Error(`${line} has no example: give the schema of its body an \`example\``)
  })

  test(`${line} documents its authentication`, () => {
    const { security = [] } = operation
    const names = security.map((choice) => Object.keys(choice).join())
    if (path.startsWith('/bot/')) expect(names).toEqual(['botKey'])
    else expect(names.slice(0, 2)).toEqual(['token', 'botKey'])
    // The empty choice means anonymous; the only anonymous writes log in or create a system.
    const isLogin = /^POST \/web\/(session|login|setup|systems)$/.test(line)
    if (!line.startsWith('GET')) expect(names.includes('')).toBe(isLogin)
  })

  test(`${line} documents X-System unless it belongs to the bot API`, () => {
    const refs = (operation.parameters ?? []).map(({ $ref }) => $ref)
    expect(refs.includes('#/components/parameters/XSystem')).toBe(!path.startsWith('/bot/'))
  })
})

test('operation IDs are unique', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  for (const name of ['getSystem', 'listMembers', 'createSwitch', 'recordMessage'])
    expect(names).toContain(name)
})

test('every tag has a description and at least one operation', () => {
  const used = new Set(operations.map(({ operation }) => operation.tags[0]))
  expect(tags.map(({ name }) => name).toSorted()).toEqual([...used].toSorted())
  for (const { name, description } of tags) expect([name, description]).toEqual([name, SENTENCE])
})

const SENTENCE = expect.stringMatching(/^[A-Z].{20,}\.$/s)

describe('documentation for bot developers', () => {
  const textOf = (line: string) => {
    const found = operations.find((known) => known.line === line)
    return JSON.stringify(found?.operation)
  }

  test.each(['unlatch', 'autoproxy_off', 'ignore', 'refuse', 'proxy'])(
    'explains how a bot handles the action %s',
    (action) => {
      const { description = '' } = paths['/bot/proxy']?.post ?? {}
      expect(description).toMatch(new RegExp(`\`${action}\`.{40,}`))
    },
  )

  test('explains the purpose of plain_name', () => {
    expect(textOf('POST /bot/proxy')).toMatch(/"plain_name":\{"description":"[^"]{60,}/)
  })

  test('distinguishes system tokens from signing tokens of webhooks', () => {
    const webhookOperations = operations.filter(({ path }) => path.includes('/webhook'))
    for (const { line } of webhookOperations) {
      const mentions = textOf(line).match(/[^"]*\btokens?\b[^"]*/gi) ?? []
      const unclear = mentions.filter((text) => /(?<!signing )(?<!signing_)\btoken\b/i.test(text))
      // The JSON key, and the name of the security scheme.
      expect([line, unclear.filter((text) => text !== 'token')]).toEqual([line, []])
    }
    expect(textOf('PUT /v2/systems/@me/webhook')).toContain('`signing_token`')
    const others = operations.filter(({ path }) => !path.includes('/webhook'))
    for (const { line } of others)
      expect([line, /signing/i.test(textOf(line))]).toEqual([line, false])
  })
})

describe('docs/bots.md', () => {
  const chapter = readFileSync(join(import.meta.dir, '../../../docs/bots.md'), 'utf8')

  test('docs/bots.md mentions every route of the bot API', () => {
    const forBots = operations.filter(({ path }) => path.startsWith('/bot/'))
    expect(forBots.length).toBeGreaterThan(15)
    const missing = forBots.filter(({ path }) => !chapter.includes(path))
    expect(missing.map(({ line }) => line)).toEqual([])
  })

  test('docs/bots.md mentions every reason of a decision', () => {
    const reasons = [...ignoreReasons, ...refuseReasons]
    expect(reasons.filter((reason) => !chapter.includes(`\`${reason}\``))).toEqual([])
  })

  test('links within docs/bots.md resolve', () => {
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
