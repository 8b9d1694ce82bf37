import { describe, expect, test } from 'bun:test'
import { linkAccount, patchMemberGuild } from '../../operatorActions'
import { createFixture, runScenarios, type Scenarios } from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const forms = ['id', 'upper', 'dashed', 'upperDashed', 'uuid', 'upperUuid']
const shown = (name: string) => forms.map((form) => `<${name}.${form}>`)

const nowhere = [
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

describe('a system', () => {
  const refs = [...shown('own'), '<account>', '@me', '%40me']
  const reads = ['', '/settings', '/members', '/groups', '/switches', '/fronters']

  test.each([...reads, '/switches/<first>'])('is read in every form: %s', async (path) => {
    const world = await createFixture(place)
    const expected = await world.get(`GET /v2/systems/<own>${path}`)
    for (const ref of refs)
      expect(await world.get(`GET /v2/systems/${ref}${path}`)).toEqual(expected)
  })

  test('is changed in every form', async () => {
    const world = await createFixture(place)
    for (const tag of refs) {
      const path = `/v2/systems/${tag}`
      expect(await world.do(`PATCH ${path}`, { tag })).toMatchObject({ tag: world.fill(tag) })
      const settings = { description_templates: [tag] }
      expect(await world.do(`PATCH ${path}/settings`, settings)).toMatchObject(world.fill(settings))
      const made = await world.do(`POST ${path}/switches`, { members: ['<wren>'] })
      const one = `${path}/switches/${made.id}`
      await world.do(`PATCH ${one}/members`, ['<heron>'])
      await world.do(`PATCH ${one}`, { timestamp: '2024-06-01' })
      await world.do(`DELETE ${one}`)
    }
  })

  test('is found by each of its accounts, of 17 to 19 digits', async () => {
    const world = await createFixture(place)
    for (const account of ['17000000000000001', '180000000000000001', '1900000000000000001']) {
      await linkAccount(place.deps, world.other.id, account)
      expect(await world.get(`GET /v2/systems/${account}`)).toMatchObject({ id: world.other.hid })
    }
  })

  const missing: Scenarios = {}
  for (const ref of [...nowhere, '@ME', '<wren>', '<wren.uuid>'])
    for (const path of [...reads, '/switches/<first>'])
      missing[`is not found as ${ref}${path}`] = {
        as: ['owner', 'nobody'],
        ask: `GET /v2/systems/${ref}${path}`,
        status: 404,
        code: 20001,
      }
  for (const ref of nowhere) {
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
      missing[`is not there to ${ask}`] = { ask, body, status: 404, code: 20001 }
  }
  runScenarios(place, missing)
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

describe.each(kinds)('one of the $noun', ({ noun, name, other, items, code }) => {
  test('is read in every form', async () => {
    const world = await createFixture(place)
    await patchMemberGuild(place.deps, world.wren, '333', {}, 'make')
    const paths = ['', `/${items}`, ...(noun === 'members' ? ['/guilds/333'] : [])]
    for (const path of paths) {
      const expected = await world.get(`GET /v2/${noun}/<${name}>${path}`)
      for (const ref of shown(name))
        expect(await world.get(`GET /v2/${noun}/${ref}${path}`)).toEqual(expected)
    }
  })

  test('is changed in every form', async () => {
    for (const ref of shown(name)) {
      const world = await createFixture(place)
      const path = `/v2/${noun}/${ref}`
      expect(await world.do(`PATCH ${path}`, { name: ref })).toMatchObject({
        name: world.fill(ref),
      })
      for (const action of ['remove', 'add', 'overwrite'])
        await world.do(`POST ${path}/${items}/${action}`, shown(other))
      await world.do(`DELETE ${path}`)
      expect((await world.ask(`GET /v2/${noun}/<${name}>`)).json.code).toBe(code)
    }
  })

  const missing: Scenarios = {}
  for (const ref of [...nowhere, '@me', `<${other}>`, `<${other}.uuid>`, '<own>', '<account>']) {
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
      missing[`is not there to ${ask}`] = { ask, body, status: 404, code }
  }
  runScenarios(place, missing)
})
