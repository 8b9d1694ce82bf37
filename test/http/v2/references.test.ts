import { linkAccount, patchMemberGuild } from '../../tools/operatorActions'
import { createFixture, runScenarios, type Scenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const forms = ['id', 'upper', 'dashed', 'upperDashed', 'uuid', 'upperUuid']
const refsOf = (name: string) => forms.map((form) => `<${name}.${form}>`)

const unknownRefs = [
  'zzzzz',
  'zzzzzz',
  'zzz-zzz',
  'zz-zzzz',
  'zzzz',
  'zzzzzzz',
  'zzzz1',
  '1',
  '123456789012345678',
  '00000000-0000-4000-8000-000000000000',
  '0000000000000000000000000000000g',
  '@you',
  'a%20b',
  '%F0%9F%8C%B1',
  "'--",
]

describe('references to a system', () => {
  const refs = [...refsOf('own'), '<account>', '@me', '%40me']
  const reads = ['', '/settings', '/members', '/groups', '/switches', '/fronters']

  test.each([...reads, '/switches/<first>'])(
    'GET /v2/systems/{ref}%s accepts every form of reference',
    async (path) => {
      const fixture = await createFixture(testApp)
      const expected = await fixture.get(`GET /v2/systems/<own>${path}`)
      for (const ref of refs)
        expect(await fixture.get(`GET /v2/systems/${ref}${path}`)).toEqual(expected)
    },
  )

  test('writes to a system accept every form of reference', async () => {
    const fixture = await createFixture(testApp)
    for (const tag of refs) {
      const path = `/v2/systems/${tag}`
      expect(await fixture.do(`PATCH ${path}`, { tag })).toMatchObject({ tag: fixture.fill(tag) })
      const settings = { description_templates: [tag] }
      expect(await fixture.do(`PATCH ${path}/settings`, settings)).toMatchObject(
        fixture.fill(settings),
      )
      const created = await fixture.do(`POST ${path}/switches`, { members: ['<wren>'] })
      const switchPath = `${path}/switches/${created.id}`
      await fixture.do(`PATCH ${switchPath}/members`, ['<heron>'])
      await fixture.do(`PATCH ${switchPath}`, { timestamp: '2024-06-01' })
      await fixture.do(`DELETE ${switchPath}`)
    }
  })

  test('a system is found by account IDs of 17 to 19 digits', async () => {
    const fixture = await createFixture(testApp)
    for (const account of ['17000000000000001', '180000000000000001', '1900000000000000001']) {
      await linkAccount(testApp.deps, fixture.other.id, account)
      expect(await fixture.get(`GET /v2/systems/${account}`)).toMatchObject({
        id: fixture.other.hid,
      })
    }
  })

  const missing: Scenarios = {}
  for (const ref of [...unknownRefs, '@ME', '<wren>', '<wren.uuid>'])
    for (const path of [...reads, '/switches/<first>'])
      missing[`GET /v2/systems/${ref}${path} returns 404`] = {
        as: ['owner', 'anonymous'],
        ask: `GET /v2/systems/${ref}${path}`,
        status: 404,
        code: 20001,
      }
  for (const ref of unknownRefs) {
    const path = `/v2/systems/${ref}`
    const writes: [string, unknown][] = [
      [`PATCH ${path}`, { tag: 'x' }],
      [`PATCH ${path}/settings`, { pings_enabled: false }],
      [`POST ${path}/switches`, { members: [] }],
      [`PATCH ${path}/switches/<first>`, { timestamp: '2024-06-01' }],
      [`PATCH ${path}/switches/<first>/members`, []],
      [`DELETE ${path}/switches/<first>`, undefined],
    ]
    for (const [ask, body] of writes)
      missing[`${ask} returns 404`] = { ask, body, status: 404, code: 20001 }
  }
  runScenarios(testApp, missing)
})

interface Kind {
  noun: 'members' | 'groups'
  name: string
  other: string
  items: string
  code: number
}

const kinds: Kind[] = [
  { noun: 'members', name: 'wren', other: 'keepers', items: 'groups', code: 20002 },
  { noun: 'groups', name: 'keepers', other: 'wren', items: 'members', code: 20004 },
]

describe.each(kinds)('references to $noun', ({ noun, name, other, items, code }) => {
  test(`reads of ${noun} accept every form of reference`, async () => {
    const fixture = await createFixture(testApp)
    await patchMemberGuild(testApp.deps, fixture.wren, '333', {}, 'create')
    const paths = ['', `/${items}`, ...(noun === 'members' ? ['/guilds/333'] : [])]
    for (const path of paths) {
      const expected = await fixture.get(`GET /v2/${noun}/<${name}>${path}`)
      for (const ref of refsOf(name))
        expect(await fixture.get(`GET /v2/${noun}/${ref}${path}`)).toEqual(expected)
    }
  })

  test(`writes to ${noun} accept every form of reference`, async () => {
    for (const ref of refsOf(name)) {
      const fixture = await createFixture(testApp)
      const path = `/v2/${noun}/${ref}`
      expect(await fixture.do(`PATCH ${path}`, { name: ref })).toMatchObject({
        name: fixture.fill(ref),
      })
      for (const action of ['remove', 'add', 'overwrite'])
        await fixture.do(`POST ${path}/${items}/${action}`, refsOf(other))
      await fixture.do(`DELETE ${path}`)
      expect((await fixture.ask(`GET /v2/${noun}/<${name}>`)).json.code).toBe(code)
    }
  })

  const missing: Scenarios = {}
  for (const ref of [
    ...unknownRefs,
    '@me',
    `<${other}>`,
    `<${other}.uuid>`,
    '<own>',
    '<account>',
  ]) {
    const path = `/v2/${noun}/${ref}`
    const lines: [string, unknown][] = [
      [`GET ${path}`, undefined],
      [`GET ${path}/${items}`, undefined],
      [`PATCH ${path}`, { name: 'x' }],
      [`DELETE ${path}`, undefined],
      [`POST ${path}/${items}/add`, [`<${other}>`]],
      [`POST ${path}/${items}/remove`, [`<${other}>`]],
      [`POST ${path}/${items}/overwrite`, []],
    ]
    if (noun === 'members')
      lines.push(
        [`GET ${path}/guilds/333`, undefined],
        [`PATCH ${path}/guilds/333`, { keep_proxy: true }],
      )
    for (const [ask, body] of lines)
      missing[`${ask} returns 404`] = { ask, body, status: 404, code }
  }
  runScenarios(testApp, missing)
})
