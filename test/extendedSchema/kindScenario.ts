import { inspect } from '../../src/doctor/sqliteDoctor'
import { eventsOfSystemAfter, latestEventId } from '../../src/events/outbox'
import { serializeEvent } from '../../src/events/serialize'
import type { JsonObject } from '../../src/model/core/entity'
import { allImportParts } from '../../src/model/transfer/transfer'
import { renderRowJson } from '../../src/serializers/v2'
import { findPluralkitProblems } from '../service/pluralkitRules'
import {
  dump,
  exportText,
  importInto,
  withRawDatabase,
  withRawDatabaseAsync,
} from '../service/transfer/importFixture'
import { anyUuid } from '../tools/anyUuid'
import { document } from '../tools/openapiDocument'
import { deleteSystem } from '../tools/operatorActions'
import { expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'

/**
 * Run by `newKind.ts` in a copy of the repository with two more kinds of objects. Every response is
 * compared with that copy's API document.
 */

const testApp = createTestApp()
const { deps, ask } = testApp
const databasePath = testApp.config.DATABASE_URL.replace('file:', '')

interface Scene {
  me: TestSystem
  stranger: TestSystem
  /** UUID of a member. */
  wren: string
  /** Sends a request as the system. */
  send(line: string, body?: unknown): Promise<{ status: number; json: JsonObject }>
}

async function createScene(): Promise<Scene> {
  const [me, stranger] = [await testApp.makeSystem('Lantern Hill'), await testApp.makeSystem()]
  const send = (line: string, body?: unknown) => ask(line, { as: me, body })
  const { json } = await send('POST /v2/members', { name: 'Wren' })
  return { me, stranger, wren: String(json.uuid), send }
}

const TEAS = '/ext/v1/systems/@me/teas'
const DREAMS = '/ext/v1/systems/@me/dreams'

async function createTeas({ send, wren }: Scene): Promise<string[]> {
  const ids: string[] = []
  for (const body of [{ name: 'Assam', taste: 'malty', member: wren }, { name: 'Sencha' }])
    ids.push(String((await send(`POST ${TEAS}`, body)).json.id))
  return ids
}

test('an object of a new kind is created, read, changed and deleted', async () => {
  const { send, wren, stranger } = await createScene()
  const created = await send(`POST ${TEAS}`, { name: 'Assam', taste: 'malty', member: wren })
  const assam = { id: anyUuid, name: 'Assam', taste: 'malty', member: wren, position: 0 }
  const path = `/ext/v1/teas/${created.json.id}`
  expect(await send(`GET ${path}`)).toMatchObject({ status: 200, json: { ...created.json } })
  expect(created).toMatchObject({ status: 201, json: assam })
  const changed = await send(`PATCH ${path}`, { taste: 'strong', member: null })
  expect(changed).toMatchObject({ status: 200, json: { ...assam, taste: 'strong', member: null } })
  expect(await send(`PATCH ${path}`, { taste: 'Assam' })).toMatchObject({
    status: 400,
    json: { code: 40001, errors: { taste: [{}] } },
  })
  expect((await ask(`GET ${path}`, { as: stranger })).status).toBe(404)
  expect((await ask(`GET ${path}`)).status).toBe(401)
  expect((await send(`DELETE ${path}`)).status).toBe(204)
  expect((await send(`GET ${path}`)).status).toBe(404)
})

test('the list of a kind with positions is ordered in one request', async () => {
  const scene = await createScene()
  const { send } = scene
  const [assam, sencha] = await createTeas(scene)
  expect(await send(`PUT ${TEAS}/order`, [sencha, assam])).toMatchObject({ status: 200 })
  expect((await send(`GET ${TEAS}`)).json).toMatchObject([
    { name: 'Sencha', position: 0 },
    { name: 'Assam', position: 1 },
  ])
  expect((await send(`PUT ${TEAS}/order`, [assam])).status).toBe(400)
})

test('the list of a kind with times is read in pages, newest first', async () => {
  const { send } = await createScene()
  for (const night of ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'])
    await send(`POST ${DREAMS}`, { text: 'I could fly.', night })
  const { json: newest } = await send(`GET ${DREAMS}?limit=2`)
  expect(newest).toMatchObject([{ night: '2026-01-03T00:00:00Z' }, {}])
  const { json: rest } = await send(`GET ${DREAMS}?before=${Object(newest)[1].id}`)
  expect(rest).toMatchObject([{ night: '2026-01-01T00:00:00Z' }])
  const path = `/ext/v1/dreams/${Object(rest)[0].id}`
  expect((await send(`PATCH ${path}`, { text: 'I fell.' })).json.edited).not.toBeNull()
})

test('the name of a deleted author is kept', async () => {
  const { send, wren } = await createScene()
  const { json } = await send(`POST ${DREAMS}`, { text: 'I could fly.', member: wren })
  await send(`DELETE /v2/members/${wren}`)
  expect((await send(`GET /ext/v1/dreams/${json.id}`)).json).toMatchObject({
    member: null,
    author_name: 'Wren',
  })
})

test('writes are recorded as events without texts', async () => {
  const scene = await createScene()
  const { send, wren, me } = scene
  const before = await latestEventId(deps.db)
  const [assam] = await createTeas(scene)
  await send(`PATCH /ext/v1/teas/${assam}`, { taste: 'strong' })
  await send(`DELETE /ext/v1/teas/${assam}`)
  const stored = await eventsOfSystemAfter(deps.db, me.id, before, 10)
  expect(stored.map((event) => serializeEvent(event, me.uuid))).toMatchObject([
    { type: 'CREATE_TEA', id: assam, data: { member: wren, keys: ['name', 'taste', 'member'] } },
    { type: 'CREATE_TEA', data: { member: null, keys: ['name'] } },
    { type: 'UPDATE_TEA', id: assam, data: { member: wren, keys: ['taste'] } },
    { type: 'DELETE_TEA', id: assam, data: null },
  ])
})

test('the number of objects and their text are limited', async () => {
  const scene = await createScene()
  await createTeas(scene)
  const { send, me } = scene
  const bytes = () =>
    withRawDatabase(databasePath, (database) =>
      database
        .query<{ text_bytes: number }, [number]>(
          'select text_bytes from ext_usage where system_id = ?',
        )
        .get(me.id),
    )
  expect(bytes()).toEqual({ text_bytes: 'AssammaltySencha'.length })
  expect((await send(`POST ${TEAS}`, { name: 'Oolong' })).status).toBe(201)
  expect(await send(`POST ${TEAS}`, { name: 'Mate' })).toMatchObject({
    status: 400,
    json: { code: 49001, message: 'Limit reached: teas (3).' },
  })
  const { json } = await send(`GET ${TEAS}`)
  for (const { id } of Object.values(json) as JsonObject[]) await send(`DELETE /ext/v1/teas/${id}`)
  expect(bytes()).toEqual({ text_bytes: 0 })
})

test('objects survive an export, an import and another import', async () => {
  const scene = await createScene()
  const { me, stranger, send, wren } = scene
  const ids = await createTeas(scene)
  await send(`PUT ${TEAS}/order`, ids.toReversed())
  await send(`POST ${DREAMS}`, {
    text: 'I could fly.',
    member: wren,
    night: '2026-01-02T00:00:00Z',
  })
  await send(`POST ${DREAMS}`, { text: 'I fell.', night: '2026-01-03T00:00:00Z' })
  const text = await exportText(deps, me.id)
  expect(findPluralkitProblems(text)).toEqual([])
  const { teas, dreams } = JSON.parse(text).multitude.ext
  expect(teas).toEqual([
    { id: ids[1], name: 'Sencha', taste: null, member: null, position: 0 },
    { id: ids[0], name: 'Assam', taste: 'malty', member: wren, position: 1 },
  ])
  expect(dreams.map((dream: JsonObject) => dream.text)).toEqual(['I fell.', 'I could fly.'])
  const file = Buffer.from(text)
  const first = await importInto(testApp, stranger, file)
  expect(first).toMatchObject({ repairs: [], ext: { teas: { added: 2 }, dreams: { added: 2 } } })
  const second = await importInto(testApp, stranger, file)
  expect(second.ext).toMatchObject({
    teas: { added: 0, unchanged: 2 },
    dreams: { added: 0, unchanged: 2 },
  })
  const { json } = await ask(`GET ${TEAS}`, { as: stranger })
  expect(json).toMatchObject([{ name: 'Sencha' }, { name: 'Assam', taste: 'malty' }])
  expect((await ask(`GET ${DREAMS}`, { as: stranger })).json).toMatchObject([
    { text: 'I fell.' },
    { text: 'I could fly.' },
  ])
})

test('parts of a file and of an export are chosen', async () => {
  const scene = await createScene()
  const { me, stranger, send, wren } = scene
  await createTeas(scene)
  const { json: moss } = await send('POST /v2/members', { name: 'Moss' })
  const teasOf = async (query: string) => {
    const { json } = await send(`GET /v2/systems/@me/export?${query}`)
    const { ext } = Object(json.multitude)
    return ext?.teas?.map(({ name }: JsonObject) => name)
  }
  expect(await teasOf(`members=${wren}&with=teas`)).toEqual(['Assam'])
  expect((await teasOf(`members=${moss.id}&with=teas`)) ?? []).toEqual([])
  expect((await teasOf(`members=${wren}`)) ?? []).toEqual([])
  const file = Buffer.from(await exportText(deps, me.id))
  const without = await importInto(testApp, stranger, file, { only: new Set(['members']) })
  expect(without.ext).toMatchObject({ teas: { added: 0, left_out: 2 } })
  const whole = await importInto(testApp, stranger, file, { only: new Set(allImportParts) })
  expect(whole.ext).toMatchObject({ teas: { added: 2 } })
  expect(allImportParts.map(String)).toContain('teas')
})

test('an import reports invalid objects', async () => {
  const { me } = await createScene()
  const file = JSON.stringify({
    version: 2,
    switches: [],
    multitude: {
      ext: { version: 1, teas: [{ name: 'Assam', taste: 7 }, { taste: 'sweet' }, 'tea'] },
    },
  })
  const { ext, repairs } = await importInto(testApp, me, Buffer.from(file))
  expect(ext).toMatchObject({ teas: { added: 1, left_out: 2 } })
  expect(repairs).toMatchObject([{ kind: 'tea' }, { kind: 'tea' }, { kind: 'tea' }])
})

test('deleting a system deletes its objects', async () => {
  const scene = await createScene()
  const { me, send } = scene
  await createTeas(scene)
  await send(`POST ${DREAMS}`, { text: 'I could fly.' })
  await deleteSystem(deps, me.id)
  const { teas = [], dreams = [] } = dump(databasePath)
  expect([...teas, ...dreams].filter((row) => Object(row).system_id === me.id)).toEqual([])
})

test('doctor finds no problem in objects, and a wrong count of their text', async () => {
  const scene = await createScene()
  await createTeas(scene)
  const check = () =>
    withRawDatabaseAsync(databasePath, (database) => inspect(database, renderRowJson))
  expect(await check()).toEqual([])
  withRawDatabase(databasePath, (database) =>
    database.run("update teas set taste = 'sweet' where system_id = ?", [scene.me.id]),
  )
  expect(await check()).toMatchObject([{ check: 'usage' }])
})

test('the API document describes the new kinds', () => {
  const { paths, components } = document
  expect(
    Object.keys(paths)
      .filter((path) => /teas|dreams/.test(path))
      .toSorted(),
  ).toEqual([
    '/ext/v1/dreams/{id}',
    '/ext/v1/systems/@me/dreams',
    '/ext/v1/systems/@me/teas',
    '/ext/v1/systems/@me/teas/order',
    '/ext/v1/teas/{id}',
  ])
  expect(components.schemas.Tea).toMatchObject({
    properties: { taste: { description: 'How it tastes' } },
  })
})
