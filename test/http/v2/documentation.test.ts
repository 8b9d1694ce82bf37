import Ajv from 'ajv'
import type { Entity } from '../../../src/model/core/entity'
import { errorTable } from '../../../src/model/core/errors'
import { group } from '../../../src/model/groups/group'
import { member } from '../../../src/model/members/member'
import { autoproxy } from '../../../src/model/proxy/autoproxy'
import { memberGuild, systemGuild } from '../../../src/model/proxy/guild'
import { settings } from '../../../src/model/systems/settings'
import { system } from '../../../src/model/systems/system'
import { fillRefs } from '../../contract/endpoints/endpoint'
import { pluralKit } from '../../contract/endpoints/pluralKit'
import { document } from '../../tools/openapiDocument'
import { allCallers, createFixture } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

interface Schema {
  $ref?: string
  type?: string | string[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  maxLength?: number
  maxItems?: number
  enum?: unknown[]
  example?: unknown
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
  examples?: unknown
}

interface Content {
  description: string
  content?: {
    'application/json': { schema: Schema; examples?: Record<string, { value: unknown }> }
  }
}

interface Operation {
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } }
  responses: Record<string, Content>
}

const paths = document.paths as Record<string, Record<string, Operation>>
const components = document.components.schemas as Record<string, Schema>
const sharedParameters = document.components.parameters as Record<string, Parameter>

const lines = Object.entries(pluralKit).map(([line, endpoint]) => ({ line, ...endpoint }))

function operationOf(line: string): Operation {
  const [method = '', path = ''] = line.split(' ')
  const found = paths[path]?.[method.toLowerCase()]
  if (!found) throw new Error(`${line} is not documented`)
  return found
}

/** Returns the parameters of an operation, with references to shared ones resolved. */
function parametersOf(line: string): Parameter[] {
  return (operationOf(line).parameters ?? []).map((parameter) => {
    const [, name = ''] = /^#\/components\/parameters\/(.+)$/.exec(parameter.$ref ?? '') ?? []
    return sharedParameters[name] ?? parameter
  })
}

function bodyOf(line: string): Schema {
  const schema = operationOf(line).requestBody?.content['application/json'].schema
  if (!schema) throw new Error(`${line} documents no body`)
  return schema
}

describe.each(lines)('API document', ({ line, tag, response, queries = [], errors }) => {
  test(`${line} has a summary and its tag`, () => {
    const { summary, tags } = operationOf(line)
    expect(summary).toMatch(/^[A-Z].{5,}[^.]$/)
    expect(tags).toEqual([tag])
  })

  test(`${line} documents its path and query parameters`, () => {
    const parameters = parametersOf(line)
    const parts = [...line.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => name)).toEqual(parts as string[])
    const inQuery = parameters.filter((parameter) => parameter.in === 'query')
    expect(inQuery.map(({ name }) => name)).toEqual(queries)
    for (const { description, required, schema, ...rest } of parameters) {
      expect(description).toMatch(/.{5,}/)
      expect(required).toBe(rest.in === 'path' || rest.name === 'guild_id')
      expect(rest.in).toBeOneOf(['path', 'query', 'header'])
      expect(schema.type).toBeString()
      // In a schema `examples` is a list, in a parameter it is a map.
      expect(rest.examples).not.toBeArray()
    }
  })

  test(`${line} documents the schema of its response`, () => {
    const { responses } = operationOf(line)
    const successes = Object.keys(responses).filter((status) => status < '300')
    if (line.endsWith('/fronters')) expect(successes).toEqual(['200', '204'])
    else expect(successes).toEqual([response === null ? '204' : '200'])
    expect(responses[204]?.content).toBeUndefined()
    if (response === null) return
    const schema = responses[200]?.content?.['application/json'].schema
    const [name] = [response].flat()
    const $ref = `#/components/schemas/${name}`
    expect(schema).toEqual(Array.isArray(response) ? { type: 'array', items: { $ref } } : { $ref })
    expect(Object.keys(components)).toContain(String(name))
  })

  test(`${line} documents exactly the errors that it can return`, () => {
    const { responses } = operationOf(line)
    const documented = Object.entries(responses)
      .filter(([status]) => status >= '400')
      .map(([status, { description }]) => {
        const codes = [...description.matchAll(/`(\d+)` /g)].map(([, code]) => Number(code))
        return [status, codes.toSorted((a, b) => a - b)]
      })
    expect(Object.fromEntries(documented)).toEqual(errors)
  })

  test(`${line} documents a body exactly when it accepts one`, () => {
    const sends = /^(POST|PATCH)/.test(line)
    const { requestBody } = operationOf(line)
    expect(requestBody?.required).toBe(sends ? true : undefined)
    if (sends) expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/json'])
  })

  test(`${line} has no keys that OpenAPI does not define`, () => {
    const known = ['operationId', 'summary', 'description', 'tags', 'parameters', 'responses']
    const keys = Object.keys(operationOf(line))
    expect(keys.filter((key) => ![...known, 'requestBody', 'security'].includes(key))).toEqual([])
  })
})

describe('documented limits', () => {
  const bodies: Record<string, Entity> = {
    'PATCH /v2/systems/{systemRef}': system,
    'POST /v2/members': member,
    'PATCH /v2/members/{memberRef}': member,
    'POST /v2/groups': group,
    'PATCH /v2/groups/{groupRef}': group,
    'PATCH /v2/systems/@me/guilds/{guild_id}': systemGuild,
    'PATCH /v2/members/{memberRef}/guilds/{guild_id}': memberGuild,
    'PATCH /v2/systems/{systemRef}/settings': settings,
    'PATCH /v2/systems/@me/autoproxy': autoproxy,
  }

  test.each(Object.entries(bodies))(
    '%s documents the maximum length of each text',
    (line, { entries }) => {
      const { properties = {} } = bodyOf(line)
      const documented = Object.entries(properties).filter(
        ([, { maxLength }]) => maxLength !== undefined,
      )
      const limited = entries.filter(
        ([, { kind, readonly, max }]) => !readonly && max && ['text', 'url'].includes(kind),
      )
      expect(
        Object.fromEntries(documented.map(([key, { maxLength }]) => [key, maxLength])),
      ).toEqual(Object.fromEntries(limited.map(([key, { max }]) => [key, max])))
    },
  )

  test('bodies document the maximum number of items of lists', () => {
    const tags = bodyOf('POST /v2/members').properties?.proxy_tags
    expect(tags).toMatchObject({ type: 'array', maxItems: 100 })
    expect(tags?.items?.properties?.prefix).toMatchObject({ maxLength: 95 })
    const templates = bodyOf('PATCH /v2/systems/{systemRef}/settings').properties
    expect(templates?.description_templates).toMatchObject({
      maxItems: 3,
      items: { type: 'string', maxLength: 1000 },
    })
    const logged = bodyOf('POST /v2/systems/{systemRef}/switches').properties
    expect(logged?.members).toMatchObject({ maxItems: 150, items: { type: 'string' } })
    const changed = bodyOf('PATCH /v2/systems/{systemRef}/switches/{switchRef}/members')
    expect(changed).toMatchObject({ type: 'array', maxItems: 150 })
  })

  test('bodies document the values of choices', () => {
    const settings = bodyOf('PATCH /v2/systems/{systemRef}/settings').properties
    expect(settings?.hid_list_padding?.enum).toEqual(['off', 'left', 'right'])
    expect(settings?.proxy_switch?.enum).toEqual(['off', 'new', 'add'])
    const autoproxy = bodyOf('PATCH /v2/systems/@me/autoproxy').properties
    expect(autoproxy?.autoproxy_mode?.enum).toEqual(['off', 'front', 'latch', 'member'])
    const privacy = bodyOf('POST /v2/members').properties?.privacy?.properties
    expect(privacy?.visibility?.enum).toEqual(['public', 'private', null])
  })

  test('only bodies that create a member or group require a name', () => {
    for (const line of ['POST /v2/members', 'POST /v2/groups'])
      expect(bodyOf(line).required).toEqual(['name'])
    for (const line of ['PATCH /v2/members/{memberRef}', 'PATCH /v2/groups/{groupRef}'])
      expect(bodyOf(line).required).toBeUndefined()
  })

  test('bodies do not contain read-only fields', () => {
    for (const [line, { entries }] of Object.entries(bodies)) {
      const readOnly = entries.filter(([, { readonly }]) => readonly).map(([key]) => key)
      const accepted = Object.keys(bodyOf(line).properties ?? {})
      for (const key of [...readOnly, 'id', 'uuid', 'system'])
        expect(accepted, line).not.toContain(key)
      if (line.startsWith('PATCH')) continue
      expect(accepted.length, line).toBe(entries.length - readOnly.length + 1)
    }
  })
})

describe('documented components', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true })
  const resolvable = JSON.parse(
    JSON.stringify(components).replaceAll('"#/components', '"document#/components'),
  )
  ajv.addSchema({ $id: 'document', components: { schemas: resolvable } })

  test.each(Object.keys(components))(
    'component %s is a valid schema with valid examples',
    (name) => {
      expect(() => ajv.compile(resolvable[name])).not.toThrow()
      for (const [key, schema] of Object.entries(components[name]?.properties ?? {}))
        if (schema.example !== undefined)
          expect([key, ajv.validate(schema, schema.example)]).toEqual([key, true])
    },
  )

  test.each(['System', 'Member', 'Group', 'Settings'])('component %s has examples', (name) => {
    const properties = Object.values(components[name]?.properties ?? {})
    expect(properties.some(({ example }) => example !== undefined)).toBe(true)
  })

  test('examples of errors match the error table', () => {
    for (const { line } of lines)
      for (const [status, { content }] of Object.entries(operationOf(line).responses))
        for (const [name, { value }] of Object.entries(
          content?.['application/json'].examples ?? {},
        )) {
          const { status: expectedStatus, ...rest } = errorTable[name as keyof typeof errorTable]
          // Errors after which a client may retry carry the time to wait.
          const retry = status === '429' || status === '503' ? { retry_after: 1000 } : {}
          expect([String(expectedStatus), value]).toEqual([status, { ...rest, ...retry }])
        }
  })
})

describe('paths without /v2', () => {
  test('no path without /v2 is documented', () => {
    const unprefixed = Object.keys(paths).filter((path) =>
      /^\/(systems|members|groups|messages)\b/.test(path),
    )
    expect(unprefixed).toEqual([])
  })

  const bodies: Record<string, unknown> = {
    'PATCH /v2/systems/{systemRef}': { tag: '|' },
    'PATCH /v2/systems/{systemRef}/settings': { timezone: 'Europe/Oslo' },
    'PATCH /v2/members/{memberRef}': { name: 'Robin' },
    'PATCH /v2/groups/{groupRef}': { name: 'Robins' },
  }

  test.each(lines)('$line returns the same without /v2', async ({ line }) => {
    const fixture = await createFixture(testApp)
    const prefixedLine = fillRefs(line)
    for (const who of allCallers) {
      const prefixed = await fixture.ask(prefixedLine, bodies[line], who)
      const unprefixed = await fixture.ask(prefixedLine.replace('/v2', ''), bodies[line], who)
      const isDeleted = prefixed.status === 204 && line.startsWith('DELETE')
      if (isDeleted) expect(unprefixed.status).toBe(404)
      else expect([unprefixed.status, unprefixed.json]).toEqual([prefixed.status, prefixed.json])
    }
  })

  test('members and groups can be created without /v2', async () => {
    const fixture = await createFixture(testApp)
    for (const noun of ['members', 'groups']) {
      const { id } = await fixture.do(`POST /${noun}`, { name: 'Robin' })
      expect(await fixture.get(`GET /v2/${noun}/${id}`)).toMatchObject({ name: 'Robin' })
    }
  })

  test('a trailing slash does not change the response', async () => {
    const fixture = await createFixture(testApp)
    for (const path of ['/systems/@me', '/members/<wren>', '/systems/@me/switches'])
      for (const prefix of ['', '/v2'])
        expect(await fixture.get(`GET ${prefix}${path}/`)).toEqual(
          await fixture.get(`GET /v2${path}`),
        )
  })
})
