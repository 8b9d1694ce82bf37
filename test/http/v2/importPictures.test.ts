import type { JsonObject } from '../../../src/model/core/entity'
import { operator } from '../../../src/model/core/privacy'
import { reportReason } from '../../../src/model/core/reasonMessages'
import { DAY, HOUR } from '../../../src/model/core/time'
import { pictureNamesIn } from '../../../src/model/pictures/picture'
import { deleteUnusedPictures } from '../../../src/service/pictures/pictureCleanup'
import { removeAbandoned } from '../../../src/service/systems/staging'
import { importNewSystem, importFile as run } from '../../../src/service/transfer/import/import'
import type { ImportReport } from '../../../src/service/transfer/import/importRun'
import { storePicture } from '../../../src/store/pictures/pictureRows'
import { killedBefore } from '../../service/transfer/importFixture'
import { outcomeOf } from '../../tools/outcomeOf'
import { bytesOf, gifOfSize, pngChunk, pngOf, smallPictures } from '../../tools/pictures'
import { execute, rows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const PUBLIC_URL = 'https://plural.example/base'
const LIMIT = 1024 * 1024
const testApp = createTestApp({ RATE_LIMIT: 'off', PUBLIC_URL, PICTURE_LIMIT: '1MiB' })
const { ask, deps, makeSystem } = testApp

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** A file of another app: a picture for the system, one for Wren and Ash, and one for Ash. */
function fileWith(pictures: { shared?: Uint8Array; banner?: Uint8Array } = {}): JsonObject {
  const { shared = smallPictures.png, banner = smallPictures.gif } = pictures
  return {
    pluralport_version: '0.1',
    producer: { app: 'Example', app_id: 'example' },
    systems: [{ id: 's1', name: 'Lantern Hill', avatar_asset_id: 'own' }],
    members: [
      { id: 'm1', system_id: 's1', name: 'Wren', avatar_asset_id: 'shared' },
      {
        ...{ id: 'm2', system_id: 's1', name: 'Ash' },
        ...{ avatar_asset_id: 'shared', banner_asset_id: 'banner' },
      },
    ],
    assets: [
      { id: 'own', kind: 'avatar', data_uri: `data:x;base64,${base64(smallPictures.webp)}` },
      { id: 'shared', kind: 'avatar', data_base64: base64(shared) },
      { id: 'banner', kind: 'banner', data_base64: base64(banner) },
    ],
  }
}

async function importFile(as: TestSystem, file: JsonObject, query = '', app = testApp) {
  return app.ask<ImportReport & { code?: number }>(`POST /v2/systems/@me/import${query}`, {
    as,
    body: JSON.stringify(file),
  })
}

async function storedNames({ id }: Pick<TestSystem, 'id'>, app = testApp): Promise<string[]> {
  const found = await rows<{ name: string }>(
    app.deps.db,
    'select name from pictures where system_id = :id order by name',
    { id },
  )
  return found.map(({ name }) => name)
}

async function urlsOf(as: TestSystem, app = testApp) {
  const { json: system } = await app.ask('GET /v2/systems/@me', { as })
  const { json } = await app.ask<JsonObject[]>('GET /v2/systems/@me/members', { as })
  const member = (name: string) => json.find((one) => one.name === name)
  return {
    system: system.avatar_url,
    wren: member('Wren')?.avatar_url,
    ash: member('Ash')?.avatar_url,
    banner: member('Ash')?.banner,
  }
}

const bytesOfFile = new TextEncoder().encode(JSON.stringify(fileWith()))
const options = { dryRun: false, only: null, isPublic: false, link: new Set<string>() }

const NO_SPACE = 'no space is left for pictures of this system'

describe('pictures inside of an import file', () => {
  test('are stored once and served', async () => {
    const as = await makeSystem()
    const { status, json: report } = await importFile(as, fileWith())
    expect([status, report.repairs, report.skipped]).toEqual([200, [], {}])
    const urls = await urlsOf(as)
    expect(urls.wren).toBe(urls.ash as string)
    const served = { system: 'webp', wren: 'png', banner: 'gif' } as const
    for (const [key, type] of Object.entries(served)) {
      const url = String(urls[key as keyof typeof urls])
      const request = new Request(url.replace(PUBLIC_URL, 'http://localhost'))
      const response = await testApp.app.handle(request, () => '')
      expect(response.headers.get('content-type')).toBe(`image/${type}`)
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(smallPictures[type])
    }
    expect(await storedNames(as)).toHaveLength(3)
  })

  test('are not stored again by a second import, even if no URL names them any more', async () => {
    const as = await makeSystem()
    await importFile(as, fileWith())
    const before = [await storedNames(as), await urlsOf(as)]
    const { json: again } = await importFile(as, fileWith())
    expect(again.members).toMatchObject({ added: 0, changed: 0, unchanged: 2 })
    expect([await storedNames(as), await urlsOf(as)]).toEqual(before)
    await ask('PATCH /v2/systems/@me', { as, body: { avatar_url: null } })
    await deleteUnusedPictures(deps)
    await importFile(as, fileWith())
    expect([await storedNames(as), await urlsOf(as)]).toEqual(before)
  })

  test('are stored without what was written about them, and once by two imports', async () => {
    const as = await makeSystem()
    const secret = pngChunk('tEXt', bytesOf('secret-place'))
    const shared = pngOf({ width: 1, height: 1, before: [secret] })
    await importFile(as, fileWith({ shared }))
    const { wren } = await urlsOf(as)
    const request = new Request(String(wren).replace(PUBLIC_URL, 'http://localhost'))
    const response = await testApp.app.handle(request, () => '')
    expect(await response.bytes()).toEqual(smallPictures.png)
    const before = [await storedNames(as), await urlsOf(as)]
    await importFile(as, fileWith({ shared }))
    expect([await storedNames(as), await urlsOf(as)]).toEqual(before)
  })

  test('are not stored by a dry run, which predicts the report', async () => {
    const as = await makeSystem()
    const file = fileWith({ shared: gifOfSize(LIMIT / 2), banner: gifOfSize(LIMIT / 2 - 1) })
    const { json: planned } = await importFile(as, file, '?dry_run=true')
    expect(await storedNames(as)).toEqual([])
    expect(await urlsOf(as)).toMatchObject({ system: null })
    const { json: report } = await importFile(as, file)
    expect(report.skipped).toEqual({ pluralportAssets: 1 })
    expect({ ...planned, dry_run: false, renamed: [] }).toEqual({ ...report, renamed: [] })
    const { json: next } = await importFile(as, file, '?dry_run=true')
    expect(next.members).toMatchObject({ added: 0, changed: 0 })
  })

  test('of which the system has no space are left out and reported', async () => {
    const as = await makeSystem()
    const member = await ask('POST /v2/members', {
      as,
      body: { name: 'Ash', banner: 'https://a.example/b.png' },
    })
    expect(member.status).toBe(200)
    const file = fileWith({ shared: gifOfSize(LIMIT / 2), banner: gifOfSize(LIMIT / 2 - 1) })
    const { json: report } = await importFile(as, file)
    expect(report.repairs).toEqual([
      {
        kind: 'member',
        name: 'Ash',
        field: 'banner',
        was: null,
        now: null,
        ...reportReason('no_space_for_pictures'),
      },
    ])
    // A value that the import does not set stays.
    expect(await urlsOf(as)).toMatchObject({ banner: 'https://a.example/b.png' })
    expect(await storedNames(as)).toHaveLength(2)
  })

  test('count together with those that the system has', async () => {
    const as = await makeSystem()
    for (const size of [LIMIT / 2, LIMIT / 2 - smallPictures.webp.length])
      await deps.transact({ system: as.id }, (tx) =>
        storePicture(deps, tx, as.id, { type: 'gif', bytes: gifOfSize(size) }),
      )
    const { json: report } = await importFile(as, fileWith())
    expect(report.repairs.map(({ name, why }) => [name, why])).toEqual([
      ['Wren', NO_SPACE],
      ['Ash', NO_SPACE],
      ['Ash', NO_SPACE],
    ])
    expect(report.skipped).toEqual({ pluralportAssets: 2 })
  })

  test('of other parts of the file are not stored', async () => {
    const as = await makeSystem()
    await importFile(as, fileWith(), '?only=groups')
    expect(await storedNames(as)).toEqual([])
    await importFile(as, fileWith(), '?only=members')
    expect(await storedNames(as)).toHaveLength(2)
    expect(await urlsOf(as)).toMatchObject({ system: null })
  })

  test('need the public address of the server', async () => {
    const local = createTestApp({ RATE_LIMIT: 'off' })
    const as = await local.makeSystem()
    const { status, json: report } = await importFile(as, fileWith(), '', local)
    expect(status).toBe(200)
    expect(report.skipped).toEqual({ pluralportAssets: 3 })
    expect(new Set(report.repairs.map(({ why }) => why))).toEqual(
      new Set(['the server has no PUBLIC_URL']),
    )
    expect(await urlsOf(as, local)).toEqual({ system: null, wren: null, ash: null, banner: null })
    expect(await storedNames(as, local)).toEqual([])
  })

  describe('of an import that fails', () => {
    const viewerOf = ({ id }: TestSystem) => ({ system: id, platform: null })

    /** Imports a file, and does something before its last transaction. */
    const runAnd = (as: TestSystem, before: () => Promise<void>) => {
      const transact: typeof deps.transact = async (subject, work, kind) => {
        if (kind === 'long') await before()
        return deps.transact(subject, work, kind)
      }
      return run({ ...deps, transact }, viewerOf(as), bytesOfFile, options)
    }

    test('are deleted', async () => {
      const as = await makeSystem()
      const failed = runAnd(as, () => Promise.reject(new Error('the disk is full')))
      expect(await outcomeOf(failed)).toThrow('the disk is full')
      expect(await storedNames(as)).toEqual([])
    })

    test('because they are gone leave nothing', async () => {
      const as = await makeSystem()
      const failed = runAnd(as, () =>
        deps.transact({ system: as.id }, (tx) =>
          execute(tx, "delete from pictures where system_id = :id and type = 'gif'", { id: as.id }),
        ),
      )
      expect(await outcomeOf(failed)).toThrow('pictures were changed by another request')
      expect(await storedNames(as)).toEqual([])
      expect(await urlsOf(as)).toMatchObject({ system: null, wren: undefined })
    })
  })

  test('of an import that is killed are shown nowhere, and deleted after a day', async () => {
    const as = await makeSystem()
    const viewer = { system: as.id, platform: null }
    const none = await urlsOf(as)
    let stored = 0
    for (let last = 1, isDone = false; !isDone; last++) {
      isDone = await run(killedBefore(deps, last), viewer, bytesOfFile, options).then(
        () => true,
        () => false,
      )
      if (isDone) break
      stored = Math.max(stored, (await storedNames(as)).length)
      expect(await urlsOf(as)).toEqual(none)
      await removeAbandoned({ ...deps, now: () => deps.now() + HOUR })
      await deleteUnusedPictures(deps)
      await deleteUnusedPictures({ ...deps, now: () => deps.now() + DAY + HOUR })
      expect(await storedNames(as)).toEqual([])
    }
    expect(stored).toBe(3)
    expect(await storedNames(as)).toHaveLength(3)
  })

  test('belong to the system that the import creates', async () => {
    const report = await importNewSystem(deps, operator, bytesOfFile, options)
    const found = await rows<{ id: number; avatar_url: string }>(
      deps.db,
      'select id, avatar_url from systems where hid = :hid',
      { hid: report.system },
    )
    const [{ id, avatar_url } = { id: 0, avatar_url: '' }] = found
    const names = await storedNames({ id })
    expect(names).toHaveLength(3)
    expect(names).toContain(pictureNamesIn(avatar_url)[0] ?? '')
  })

  test('do not let a file name pictures of other systems', async () => {
    const [as, other] = [await makeSystem(), await makeSystem()]
    await importFile(other, fileWith())
    await importFile(as, fileWith())
    const [own, theirs] = [await storedNames(as), await storedNames(other)]
    expect(own.filter((name) => theirs.includes(name))).toEqual([])
    expect(own).toHaveLength(3)
  })
})
