import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { generateSource } from 'oazapfts'
import { document } from '../../tools/openapiDocument'
import { createBot } from '../../tools/operatorActions'
import { afterAll, beforeAll, describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ HOST: '127.0.0.1', PORT: '0' })
// The linters block the event loop, which the connection check would take for an outage.
await testApp.app.storage.ready

/** Checks the API document with third-party programs: a validator, a linter and a generator. */

const source = JSON.stringify(document)

test('the API document matches the schema of OpenAPI', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(source))
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

describe('Redocly', () => {
  /** Rules that do not apply; all others do. */
  const disabledRules = {
    // The contact would be the operator, who is unknown here.
    'info-contact': 'off',
    // Paths, keys and errors are those of PluralKit.
    'path-segment-plural': 'off',
    'paths-kebab-case': 'off',
    'no-http-verbs-in-paths': 'off',
    'boolean-parameter-prefixes': 'off',
    'operation-4xx-problem-details-rfc7807': 'off',
    'required-string-property-missing-min-length': 'off',
    // IDs of friendships are UUIDs, so no friendship is named `invites`.
    'no-ambiguous-paths': 'off',
    // Streams, CSV, calendars and pictures are not JSON.
    'request-mime-type': 'off',
    'response-mime-type': 'off',
    // Bodies have complete examples; keys of responses need none.
    'scalar-property-missing-example': 'off',
    // The tags of the API page are in order of importance, not alphabetical.
    'tags-alphabetical': 'off',
  } as const

  const lint = async (text: string, rules = {}) => {
    const config = await createConfig({ extends: ['all'], rules })
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
    return problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`,
    )
  }

  test('the linter reports no problem in the API document', async () => {
    expect(await lint(source, disabledRules)).toEqual([])
  })

  test('the linter reports an invalid example', async () => {
    const broken = source.replace('"example":{"members":[]}', '"example":{"members":"nobody"}')
    expect(broken).not.toBe(source)
    const problems = await lint(broken, disabledRules)
    expect(problems).toEqual([expect.stringContaining('no-invalid-media-type-examples')])
  })

  test('every disabled linter rule would report a problem', async () => {
    const rules = (await lint(source)).map((text) => text.split(' ')[0])
    expect(new Set(rules)).toEqual(new Set(Object.keys(disabledRules)))
  })
})

describe('a generated client', () => {
  // Inside node_modules, so that the client finds the runtime that it imports.
  const folder = mkdtempSync(join(import.meta.dir, '../../../node_modules/.generated-'))
  const file = join(folder, 'client.ts')
  let address = ''

  beforeAll(async () => {
    const document = join(folder, 'openapi.json')
    await Bun.write(document, source)
    await Bun.write(file, await generateSource(document))
    address = testApp.app.listen()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('a generated client compiles', async () => {
    const options =
      '--noEmit --strict --ignoreConfig --skipLibCheck --target esnext --lib esnext,dom'
    const { stdout, exitCode } = Bun.spawnSync([
      'node_modules/.bin/tsc',
      ...options.split(' '),
      ...['--module', 'preserve', '--moduleResolution', 'bundler', file],
    ])
    expect(stdout.toString()).toBe('')
    expect(exitCode).toBe(0)
  })

  test('a generated client creates a system, proxies a message and looks it up', async () => {
    const client = await import(file)
    client.defaults.baseUrl = address
    const key = await createBot(testApp.deps, 'discord')
    client.defaults.headers = { authorization: `Bot ${key}` }
    const account_id = '100000000000000001'

    const createdSystem = await client.createSystem({ account_id, name: 'Lantern Hill' })
    expect(createdSystem.status).toBe(201)
    const xSystem = createdSystem.data.system.id
    const tags = [{ prefix: 'w:', suffix: null }]
    const createdMember = await client.createMember({ name: 'Wren', proxy_tags: tags }, { xSystem })
    expect(createdMember).toMatchObject({ status: 200, data: { name: 'Wren' } })

    const location = { account_id, guild_id: '2', channel_id: '3' }
    const decision = await client.decideMessage({ ...location, content: 'w:hello' })
    expect(decision.data).toMatchObject({ action: 'proxy', message: { content: 'hello' } })
    const member = decision.data.member.uuid
    const message = { id: '42', original: '41', sender: account_id, channel: '3', guild: '2' }
    expect((await client.recordMessage({ ...message, member })).status).toBe(201)

    const found = await client.getMessage('42')
    expect(found.data).toMatchObject({ original: '41', member: { id: createdMember.data.id } })
    const listed = await client.listMembers(xSystem)
    expect(listed.data).toMatchObject([{ message_count: 1 }])
    expect(await client.getMember('zzzzz')).toMatchObject({ status: 404, data: { code: 20002 } })
  })
})
