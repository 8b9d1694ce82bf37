import { describe, expect, test } from 'bun:test'
import Ajv from 'ajv'
import { autoproxy } from '../../../src/model/autoproxy'
import type { Entity } from '../../../src/model/entity'
import { errorTable } from '../../../src/model/errors'
import { group } from '../../../src/model/group'
import { memberGuild, systemGuild } from '../../../src/model/guild'
import { member } from '../../../src/model/member'
import { settings } from '../../../src/model/settings'
import { system } from '../../../src/model/system'
import { document } from '../../openapiDocument'
import { createFixture, everyone } from '../../scenarios'
import { createTestApp } from '../../testApp'
import { endpoints } from './endpoints'

const place = createTestApp()

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
const shared = document.components.parameters as Record<string, Parameter>

const lines = Object.entries(endpoints).map(([line, endpoint]) => ({ line, ...endpoint }))

function operationOf(line: string): Operation {
  const [method = '', path = ''] = line.split(' ')
  const found = paths[`/v2${path}`]?.[method.toLowerCase()]
  if (!found) throw new Error(`${line} is not documented`)
  return found
}

/** With those that are shared by many operations in their place. */
function parametersOf(line: string): Parameter[] {
  return (operationOf(line).parameters ?? []).map((parameter) => {
    const [, name = ''] = /^#\/components\/parameters\/(.+)$/.exec(parameter.$ref ?? '') ?? []
    return shared[name] ?? parameter
  })
}

function bodyOf(line: string): Schema {
  const schema = operationOf(line).requestBody?.content['application/json'].schema
  if (!schema) throw new Error(`${line} documents no body`)
  return schema
}

describe.each(lines)('$line', ({ line, tag, answer, errors }) => {
  test('has a summary and its tag', () => {
    const { summary, tags } = operationOf(line)
    expect(summary).toMatch(/^[A-Z].{5,}[^.]$/)
    expect(tags).toEqual([tag])
  })

  test('has every part of its path, and optional parameters in its query', () => {
    const parameters = parametersOf(line)
    const parts = [...line.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => name)).toEqual(parts as string[])
    const inQuery = parameters.filter((parameter) => parameter.in === 'query')
    expect(inQuery.map(({ name }) => name)).toEqual(queries[line] ?? [])
    for (const { description, required, schema, ...rest } of parameters) {
      expect(description).toMatch(/.{5,}/)
      expect(required).toBe(rest.in === 'path' || rest.name === 'guild_id')
      expect(rest.in).toBeOneOf(['path', 'query', 'header'])
      expect(schema.type).toBeString()
      // As a list it would be a schema's keyword; a parameter has a map of that name.
      expect(rest.examples).not.toBeArray()
    }
  })

  test('answers with a schema', () => {
    const { responses } = operationOf(line)
    const successes = Object.keys(responses).filter((status) => status < '300')
    if (line.endsWith('/fronters')) expect(successes).toEqual(['200', '204'])
    else expect(successes).toEqual([answer === null ? '204' : '200'])
    expect(responses[204]?.content).toBeUndefined()
    if (answer === null) return
    const schema = responses[200]?.content?.['application/json'].schema
    const [name] = [answer].flat()
    const $ref = `#/components/schemas/${name}`
    expect(schema).toEqual(Array.isArray(answer) ? { type: 'array', items: { $ref } } : { $ref })
    expect(Object.keys(components)).toContain(String(name))
  })

  test('names every error it can give, and no other', () => {
    const { responses } = operationOf(line)
    const documented = Object.entries(responses)
      .filter(([status]) => status >= '400')
      .map(([status, { description }]) => {
        const codes = [...description.matchAll(/`(\d+)` /g)].map(([, code]) => Number(code))
        return [status, codes.toSorted((a, b) => a - b)]
      })
    expect(Object.fromEntries(documented)).toEqual(errors)
  })

  test('has a body exactly where one is sent', () => {
    const sends = /^(POST|PATCH)/.test(line)
    const { requestBody } = operationOf(line)
    expect(requestBody?.required).toBe(sends ? true : undefined)
    if (sends) expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/json'])
  })

  test('says nothing that OpenAPI has no word for', () => {
    const known = ['operationId', 'summary', 'description', 'tags', 'parameters', 'responses']
    const keys = Object.keys(operationOf(line))
    expect(keys.filter((key) => ![...known, 'requestBody', 'security'].includes(key))).toEqual([])
  })
})

const queries: Record<string, string[]> = {
  'GET /systems/{systemRef}/switches': ['before', 'limit'],
  'GET /systems/{systemRef}/groups': ['with_members'],
  'GET /systems/@me/autoproxy': ['guild_id', 'channel_id'],
  'PATCH /systems/@me/autoproxy': ['guild_id', 'channel_id'],
}

describe('the limits of the interface', () => {
  const bodies: Record<string, Entity> = {
    'PATCH /systems/{systemRef}': system,
    'POST /members': member,
    'PATCH /members/{memberRef}': member,
    'POST /groups': group,
    'PATCH /groups/{groupRef}': group,
    'PATCH /systems/@me/guilds/{guild_id}': systemGuild,
    'PATCH /members/{memberRef}/guilds/{guild_id}': memberGuild,
    'PATCH /systems/{systemRef}/settings': settings,
    'PATCH /systems/@me/autoproxy': autoproxy,
  }

  test.each(Object.entries(bodies))('%s says how long each text may be', (line, { entries }) => {
    const { properties = {} } = bodyOf(line)
    const stated = Object.entries(properties).filter(([, { maxLength }]) => maxLength !== undefined)
    const held = entries.filter(
      ([, { kind, readonly, max }]) => !readonly && max && ['text', 'url'].includes(kind),
    )
    expect(Object.fromEntries(stated.map(([key, { maxLength }]) => [key, maxLength]))).toEqual(
      Object.fromEntries(held.map(([key, { max }]) => [key, max])),
    )
  })

  test('lists say how much they hold', () => {
    const tags = bodyOf('POST /members').properties?.proxy_tags
    expect(tags).toMatchObject({ type: 'array', maxItems: 100 })
    expect(tags?.items?.properties?.prefix).toMatchObject({ maxLength: 95 })
    const templates = bodyOf('PATCH /systems/{systemRef}/settings').properties
    expect(templates?.description_templates).toMatchObject({
      maxItems: 3,
      items: { type: 'string', maxLength: 1000 },
    })
    const logged = bodyOf('POST /systems/{systemRef}/switches').properties
    expect(logged?.members).toMatchObject({ maxItems: 150, items: { type: 'string' } })
    const changed = bodyOf('PATCH /systems/{systemRef}/switches/{switchRef}/members')
    expect(changed).toMatchObject({ type: 'array', maxItems: 150 })
  })

  test('words to choose from are listed', () => {
    const settings = bodyOf('PATCH /systems/{systemRef}/settings').properties
    expect(settings?.hid_list_padding?.enum).toEqual(['off', 'left', 'right'])
    expect(settings?.proxy_switch?.enum).toEqual(['off', 'new', 'add'])
    const autoproxy = bodyOf('PATCH /systems/@me/autoproxy').properties
    expect(autoproxy?.autoproxy_mode?.enum).toEqual(['off', 'front', 'latch', 'member'])
    const privacy = bodyOf('POST /members').properties?.privacy?.properties
    expect(privacy?.visibility?.enum).toEqual(['public', 'private', null])
  })

  test('only making needs a name', () => {
    for (const line of ['POST /members', 'POST /groups'])
      expect(bodyOf(line).required).toEqual(['name'])
    for (const line of ['PATCH /members/{memberRef}', 'PATCH /groups/{groupRef}'])
      expect(bodyOf(line).required).toBeUndefined()
  })

  test('what is only shown is in no body', () => {
    for (const [line, { entries }] of Object.entries(bodies)) {
      const shown = entries.filter(([, { readonly }]) => readonly).map(([key]) => key)
      const taken = Object.keys(bodyOf(line).properties ?? {})
      for (const key of [...shown, 'id', 'uuid', 'system']) expect(taken, line).not.toContain(key)
      if (line.startsWith('PATCH')) continue
      expect(taken.length, line).toBe(entries.length - shown.length + 1)
    }
  })
})

describe('the components', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true })
  const pointing = JSON.parse(
    JSON.stringify(components).replaceAll('"#/components', '"document#/components'),
  )
  ajv.addSchema({ $id: 'document', components: { schemas: pointing } })

  test.each(Object.keys(components))('%s is a schema, and its examples fit it', (name) => {
    expect(() => ajv.compile(pointing[name])).not.toThrow()
    for (const [key, schema] of Object.entries(components[name]?.properties ?? {}))
      if (schema.example !== undefined)
        expect([key, ajv.validate(schema, schema.example)]).toEqual([key, true])
  })

  test.each(['System', 'Member', 'Group', 'Settings'])('%s has examples', (name) => {
    const properties = Object.values(components[name]?.properties ?? {})
    expect(properties.some(({ example }) => example !== undefined)).toBe(true)
  })

  test('every example of an error is that error', () => {
    for (const { line } of lines)
      for (const [status, { content }] of Object.entries(operationOf(line).responses))
        for (const [name, { value }] of Object.entries(
          content?.['application/json'].examples ?? {},
        )) {
          const { status: own, ...rest } = errorTable[name as keyof typeof errorTable]
          // Who is to come back later is told when.
          const later = status === '429' || status === '503' ? { retry_after: 1000 } : {}
          expect([String(own), value]).toEqual([status, { ...rest, ...later }])
        }
  })
})

describe('without the prefix', () => {
  test('nothing is documented', () => {
    const bare = Object.keys(paths).filter((path) =>
      /^\/(systems|members|groups|messages)\b/.test(path),
    )
    expect(bare).toEqual([])
  })

  const own: Record<string, string> = {
    '{systemRef}': '<own>',
    '{memberRef}': '<wren>',
    '{groupRef}': '<keepers>',
    '{switchRef}': '<first>',
    '{guild_id}': '333',
    '{message}': '<message>',
  }
  const bodies: Record<string, unknown> = {
    'PATCH /systems/{systemRef}': { tag: '|' },
    'PATCH /systems/{systemRef}/settings': { timezone: 'Europe/Oslo' },
    'PATCH /members/{memberRef}': { name: 'Robin' },
    'PATCH /groups/{groupRef}': { name: 'Robins' },
  }

  test.each(lines)('$line answers the same', async ({ line }) => {
    const world = await createFixture(place)
    const path = line.replaceAll(/\{\w+\}/g, (part) => own[part] ?? part)
    for (const who of everyone) {
      const prefixed = await world.ask(path.replace(' ', ' /v2'), bodies[line], who)
      const bare = await world.ask(path, bodies[line], who)
      const isGone = prefixed.status === 204 && line.startsWith('DELETE')
      if (isGone) expect(bare.status).toBe(404)
      else expect([bare.status, bare.json]).toEqual([prefixed.status, prefixed.json])
    }
  })

  test('members and groups are made as well', async () => {
    const world = await createFixture(place)
    for (const noun of ['members', 'groups']) {
      const { id } = await world.do(`POST /${noun}`, { name: 'Robin' })
      expect(await world.get(`GET /v2/${noun}/${id}`)).toMatchObject({ name: 'Robin' })
    }
  })

  test('a slash at the end changes nothing', async () => {
    const world = await createFixture(place)
    for (const path of ['/systems/@me', '/members/<wren>', '/systems/@me/switches'])
      for (const prefix of ['', '/v2'])
        expect(await world.get(`GET ${prefix}${path}/`)).toEqual(await world.get(`GET /v2${path}`))
  })
})
