import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { generateSource } from 'oazapfts'
import { document } from '../../openapiDocument'
import { createBot } from '../../operatorActions'
import { createTestApp } from '../../testApp'

const here = createTestApp({ HOST: '127.0.0.1', PORT: '0' })
// Linters let nobody have a turn, which a server takes for silence.
await here.app.storage.ready

/** The document in the hands of programs that others wrote: two that judge it, one that uses it. */

const source = JSON.stringify(document)

test('the document is OpenAPI, by the schema of OpenAPI', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(source))
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

describe('a linter', () => {
  /** Rules that are not ours to follow; all others hold. */
  const passedOver = {
    // Whoever runs this server is whom to ask, and the document does not know them.
    'info-contact': 'off',
    // The paths, the keys and the shape of errors are PluralKit's, as their clients know them.
    'path-segment-plural': 'off',
    'paths-kebab-case': 'off',
    'no-http-verbs-in-paths': 'off',
    'boolean-parameter-prefixes': 'off',
    'operation-4xx-problem-details-rfc7807': 'off',
    'required-string-property-missing-min-length': 'off',
    // Streams, tables and calendars are what they are.
    'response-mime-type': 'off',
    // Bodies have whole examples; answers need none for each of their keys.
    'scalar-property-missing-example': 'off',
    // What a newcomer needs first comes first.
    'tags-alphabetical': 'off',
  } as const

  const lint = async (text: string, rules = {}) => {
    const config = await createConfig({ extends: ['all'], rules })
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
    return problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`,
    )
  }

  test('finds nothing to say, with every rule that is ours to follow', async () => {
    expect(await lint(source, passedOver)).toEqual([])
  })

  test('would say so', async () => {
    const broken = source.replace('"example":{"members":[]}', '"example":{"members":"nobody"}')
    expect(broken).not.toBe(source)
    const said = await lint(broken, passedOver)
    expect(said).toEqual([expect.stringContaining('no-invalid-media-type-examples')])
  })

  test('is not told to pass over what it would not say', async () => {
    const said = (await lint(source)).map((text) => text.split(' ')[0])
    expect(new Set(said)).toEqual(new Set(Object.keys(passedOver)))
  })
})

describe('a generated client', () => {
  // Beneath the packages, so that it finds the runtime it imports.
  const folder = mkdtempSync(join(import.meta.dir, '../../../node_modules/.generated-'))
  const file = join(folder, 'client.ts')
  let address = ''

  beforeAll(async () => {
    const document = join(folder, 'openapi.json')
    await Bun.write(document, source)
    await Bun.write(file, await generateSource(document))
    address = here.app.listen()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('compiles without an error', async () => {
    const options =
      '--noEmit --strict --ignoreConfig --skipLibCheck --target esnext --lib esnext,dom'
    const { stdout, exitCode } = Bun.spawnSync([
      'node_modules/.bin/tsc',
      ...options.split(' '),
      ...['--module', 'preserve', '--moduleResolution', 'bundler', file],
    ])
    expect(stdout.toString()).toBe('')
    expect(exitCode).toBe(0)
  }, 60_000)

  test('works: someone is registered, speaks and is found by their message', async () => {
    const client = await import(file)
    client.defaults.baseUrl = address
    const key = await createBot(here.deps, 'discord')
    client.defaults.headers = { authorization: `Bot ${key}` }
    const account_id = '100000000000000001'

    const registered = await client.createSystem({ account_id, name: 'Lantern Hill' })
    expect(registered.status).toBe(201)
    const xSystem = registered.data.system.id
    const tags = [{ prefix: 'w:', suffix: null }]
    const made = await client.createMember({ name: 'Wren', proxy_tags: tags }, { xSystem })
    expect(made).toMatchObject({ status: 200, data: { name: 'Wren' } })

    const place = { account_id, guild_id: '2', channel_id: '3' }
    const decided = await client.decideMessage({ ...place, content: 'w:hello' })
    expect(decided.data).toMatchObject({ action: 'proxy', message: { content: 'hello' } })
    const member = decided.data.member.uuid
    const message = { id: '42', original: '41', sender: account_id, channel: '3', guild: '2' }
    expect((await client.recordMessage({ ...message, member })).status).toBe(201)

    const found = await client.getMessage('42')
    expect(found.data).toMatchObject({ original: '41', member: { id: made.data.id } })
    const listed = await client.listMembers(xSystem)
    expect(listed.data).toMatchObject([{ message_count: 1 }])
    expect(await client.getMember('zzzzz')).toMatchObject({ status: 404, data: { code: 20002 } })
  })
})
