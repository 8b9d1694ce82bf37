import { HOUR, type Instant, SECOND } from '../../../src/model/core/time'
import { MAX_PICTURE_BYTES } from '../../../src/model/pictures/picture'
import { deleteUnusedPictures } from '../../../src/service/pictures/pictureCleanup'
import { purgeDeleted } from '../../../src/service/systems/purge'
import { deleteSystem } from '../../../src/service/systems/systems'
import { storePicture } from '../../../src/store/pictures/pictureRows'
import { ME } from '../../tools/me'
import {
  bytesOf,
  gifOf,
  gifOfSize,
  joined,
  pngChunk,
  pngOf,
  smallPictures,
} from '../../tools/pictures'
import { execute, insert, insertAll, rows } from '../../tools/rawSql'
import { at } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const PUBLIC_URL = 'https://plural.example/base'
let now: Instant = at('2026-03-22T08:30:00Z')
const testApp = createTestApp({
  RATE_LIMIT: 'off',
  PUBLIC_URL,
  PICTURE_LIMIT: '1MiB',
  now: () => now++,
})
const { ask, deps, makeSystem } = testApp

const { gif } = smallPictures
const gifFile = { type: 'gif', bytes: gif } as const

async function makeMember(as: TestSystem, name = 'Wren'): Promise<string> {
  return String((await ask('POST /v2/members', { as, body: { name } })).json.id)
}

async function makeGroup(as: TestSystem): Promise<string> {
  return String((await ask('POST /v2/groups', { as, body: { name: 'Keepers' } })).json.id)
}

const put = (as: TestSystem | null, path: string, body: unknown = gif) =>
  ask(`PUT /ext/v1${path}/picture`, { as, body })

/** Path of a picture on this server. */
const pathOf = (url: unknown) => String(url).replace(PUBLIC_URL, '')

async function eventsOf({ id }: TestSystem) {
  const found = await rows<{ type: string; data: string }>(
    deps.db,
    'select type, data from events where system_id = :id order by id',
    { id },
  )
  return found.map(({ type, data }) => [type, JSON.parse(data)])
}

describe('a picture', () => {
  test.each(Object.entries(smallPictures).map(([ending, bytes]) => [ending, bytes] as const))(
    'of the type %s is stored and served with its type',
    async (ending, bytes) => {
      const as = await makeSystem()
      const { status, json } = await put(as, '/systems/@me', bytes)
      expect(status).toBe(200)
      const file = new RegExp(`^${PUBLIC_URL}/pictures/[\\w-]{24}\\.${ending}$`)
      expect(json).toEqual({ url: expect.stringMatching(file) })
      const response = await testApp.app.handle(
        new Request(`http://localhost${pathOf(json.url)}`),
        () => '127.0.0.1',
      )
      expect(response.status).toBe(200)
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
      const type = ending === 'jpg' ? 'jpeg' : ending
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': `image/${type}`,
        'cache-control': 'public, max-age=86400',
        'x-content-type-options': 'nosniff',
        'content-security-policy': 'sandbox',
        'access-control-allow-origin': '*',
      })
    },
  )

  test.each([
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['SVG after a space', ' <svg/>'],
    ['HTML after the bytes of no picture', '\0\0\0GIF89a<script>'],
    ['half of a WebP', 'RIFF\x04\0\0\0WAVE'],
    ['an empty body', ''],
    ['BMP', 'BM'],
  ])('%s is refused, and nothing is stored', async (_, text) => {
    const as = await makeSystem()
    const { status, json } = await put(as, '/systems/@me', bytesOf(text))
    expect([status, json]).toMatchObject([
      400,
      { code: 0, message: '400: Bad Request (not a PNG, JPEG, WebP or GIF)' },
    ])
    expect(await pictureNames(as)).toEqual([])
  })

  test.each([
    ['that ends early', gif.slice(0, -1), 'the picture is damaged'],
    [
      'of 60,000 pixels a side',
      pngOf({ width: 60_000, height: 1 }),
      'more than 4096 pixels a side',
    ],
  ])('%s is refused, and nothing is stored', async (_, bytes, reason) => {
    const as = await makeSystem()
    const { status, json } = await put(as, '/systems/@me', bytes)
    expect([status, json]).toMatchObject([400, { message: `400: Bad Request (${reason})` }])
    expect(await pictureNames(as)).toEqual([])
  })

  test('is stored and served without what was written about it, but upright', async () => {
    const as = await makeSystem()
    const exif = (...texts: string[]) =>
      pngOf({ width: 1, height: 1, before: texts.map((text) => pngChunk('eXIf', bytesOf(text))) })
    const sideways = 'MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0'
    const { json } = await put(as, '/systems/@me', exif(`${sideways}secret-place`, 'secret-place'))
    const response = await testApp.app.handle(
      new Request(`http://localhost${pathOf(json.url)}`),
      () => '',
    )
    expect(await response.bytes()).toEqual(exif(sideways))
    const [stored] = await rows(deps.db, 'select size from pictures where system_id = :id', {
      id: as.id,
    })
    expect(stored).toEqual({ size: exif(sideways).length })
  })

  test('becomes the avatar of a member, the icon of a group and the avatar of the system', async () => {
    const as = await makeSystem()
    const member = await makeMember(as)
    const group = await makeGroup(as)
    const before = (await eventsOf(as)).length
    const urls = []
    for (const path of [`/members/${member}`, `/groups/${group}`, '/systems/@me'])
      urls.push((await put(as, path)).json.url)
    const read = async (path: string) => (await ask(`GET /v2${path}`, { as })).json
    expect(await read(`/members/${member}`)).toMatchObject({ avatar_url: urls[0] })
    expect(await read(`/groups/${group}`)).toMatchObject({ icon: urls[1] })
    expect(await read('/systems/@me')).toMatchObject({ avatar_url: urls[2] })
    expect((await eventsOf(as)).slice(before)).toEqual([
      ['UPDATE_MEMBER', { avatar_url: urls[0] }],
      ['UPDATE_GROUP', { icon: urls[1] }],
      ['UPDATE_SYSTEM', { avatar_url: urls[2] }],
    ])
    expect(new Set(urls).size).toBe(3)
  })

  test('is removed from what it was set on', async () => {
    const as = await makeSystem()
    const member = await makeMember(as)
    const group = await makeGroup(as)
    for (const path of [`/members/${member}`, `/groups/${group}`, '/systems/@me']) {
      const { url } = (await put(as, path)).json
      const remove = `DELETE /ext/v1${path}/picture`
      expect((await ask(remove, { as })).status).toBe(204)
      const found = (await ask(`GET /v2${path}`, { as })).json
      expect(found.avatar_url ?? found.icon ?? null).toBe(null)
      expect((await ask(remove, { as })).status).toBe(404)
      expect(await statusOf(url)).toBe(404)
    }
  })

  test('of another server or another system is not removed', async () => {
    const as = await makeSystem()
    const other = await makeSystem()
    const member = await makeMember(as)
    const { url } = (await put(other, '/systems/@me')).json
    for (const avatar_url of ['https://example.com/wren.png', url]) {
      await ask(`PATCH /v2/members/${member}`, { as, body: { avatar_url } })
      const remove = await ask(`DELETE /ext/v1/members/${member}/picture`, { as })
      expect(remove.status).toBe(404)
      const { json } = await ask(`GET /v2/members/${member}`, { as })
      expect(json.avatar_url).toBe(avatar_url as string)
    }
  })

  test('of a private avatar has a name that no response to another caller holds', async () => {
    const as = await makeSystem()
    const member = await makeMember(as)
    await ask(`PATCH /v2/members/${member}`, {
      as,
      body: { privacy: { avatar_privacy: 'private' } },
    })
    await put(as, `/members/${member}`)
    const stranger = await makeSystem()
    for (const caller of [null, stranger])
      for (const path of [`/v2/members/${member}`, `/ext/v1/members/${member}`])
        expect((await ask(`GET ${path}`, { as: caller })).text).not.toContain('/pictures/')
  })

  test.each([
    ['an unknown member', '/members/zzzzz', 404, 20002],
    ['an unknown group', '/groups/zzzzz', 404, 20004],
  ])('of %s is refused', async (_, path, status, code) => {
    const as = await makeSystem()
    expect(await put(as, path)).toMatchObject({ status, json: { code } })
    expect(await pictureNames(as)).toEqual([])
  })

  test('of a member or group of another system is refused', async () => {
    const as = await makeSystem()
    const other = await makeSystem()
    const member = await makeMember(other)
    const group = await makeGroup(other)
    expect(await put(as, `/members/${member}`)).toMatchObject({ json: { code: 30006 } })
    expect(await put(as, `/groups/${group}`)).toMatchObject({ json: { code: 30007 } })
    expect(await put(null, `/members/${member}`)).toMatchObject({ status: 401 })
  })

  test.each([
    'GET /pictures/x',
    'GET /pictures/AAAAAAAAAAAAAAAAAAAAAAAA.png',
    'GET /pictures/AAAAAAAAAAAAAAAAAAAAAAAA.svg',
    'GET /pictures/AAAAAAAAAAAAAAAAAAAAAAAA',
    'GET /pictures/..%2f..%2fetc%2fpasswd',
    'GET /pictures',
  ])('%s is not found', async (line) => {
    const { status, headers } = await ask(line)
    expect(status).toBe(404)
    expect(headers.get('content-security-policy')).toBe('sandbox')
  })

  test('is not served under another ending', async () => {
    const as = await makeSystem()
    const { url } = (await put(as, '/systems/@me')).json
    expect((await ask(`GET ${pathOf(url).replace('.gif', '.png')}`)).status).toBe(404)
  })

  test('is not sent again to a client that has it', async () => {
    const as = await makeSystem()
    const path = pathOf((await put(as, '/systems/@me')).json.url)
    const first = await testApp.app.handle(new Request(`http://localhost${path}`), () => '')
    const request = new Request(`http://localhost${path}`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    })
    const again = await testApp.app.handle(request, () => '')
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test.each([
    ['any', () => '*', 304],
    ['several', (etag: string) => `"x", W/${etag}`, 304],
    ['another', (etag: string) => etag.replace('"', '"x'), 200],
    ['a part of one', (etag: string) => `"x${etag}x"`, 200],
  ])('is sent unless the client has it: %s', async (_, known, status) => {
    const as = await makeSystem()
    const path = pathOf((await put(as, '/systems/@me')).json.url)
    const etag = `"${path.replace('/pictures/', '')}"`
    const headers = { 'if-none-match': known(etag) }
    const request = new Request(`http://localhost${path}`, { headers })
    const response = await testApp.app.handle(request, () => '')
    expect([response.status, response.headers.get('etag')]).toEqual([status, etag])
    expect((await response.bytes()).byteLength).toBe(status === 304 ? 0 : gif.byteLength)
  })

  test('that is also a page or a script is served as a picture only', async () => {
    const as = await makeSystem()
    const text = '<html><script>alert(1)</script>'
    const polyglot = gifOf([joined([Uint8Array.of(text.length), bytesOf(text)])])
    const path = pathOf((await put(as, '/systems/@me', polyglot)).json.url)
    const asked = [
      ['GET', {}],
      ['GET', { range: 'bytes=0-9' }],
      ['GET', { accept: 'text/html' }],
      ['HEAD', {}],
    ] as const
    for (const [method, headers] of asked) {
      const request = new Request(`http://localhost${path}`, { method, headers })
      const response = await testApp.app.handle(request, () => '')
      expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
        200,
        {
          'content-type': 'image/gif',
          'x-content-type-options': 'nosniff',
          'content-security-policy': 'sandbox',
        },
      ])
      const bytes = await response.bytes()
      expect(bytes.byteLength).toBe(method === 'HEAD' ? 0 : polyglot.byteLength)
    }
  })

  test('of a disabled system does not exist', async () => {
    const as = await makeSystem()
    const path = pathOf((await put(as, '/systems/@me')).json.url)
    await deps.transact({ system: as.id }, (tx) =>
      execute(tx, 'update systems set disabled_at = 1 where id = :id', { id: as.id }),
    )
    expect((await ask(`GET ${path}`)).status).toBe(404)
    expect((await ask(`GET ${path}`, { headers: { 'if-none-match': '*' } })).status).toBe(404)
  })

  test.each([
    ['at once', 1],
    ['in batches', 501],
  ])('is deleted with its system, %s', async (_, count) => {
    const as = await makeSystem()
    const path = pathOf((await put(as, '/systems/@me')).json.url)
    await deps.transact({ system: as.id }, async (tx) => {
      for (let at = 1; at < count; at++) await storePicture(deps, tx, as.id, gifFile)
    })
    await deleteSystem(deps, { system: as.id, platform: null })
    expect((await ask(`GET ${path}`)).status).toBe(404)
    expect(await pictureNames(as)).toHaveLength(count === 1 ? 0 : count)
    await purgeDeleted(deps)
    expect(await pictureNames(as)).toEqual([])
  })

  test('needs the public address of the server', async () => {
    const local = createTestApp({ RATE_LIMIT: 'off' })
    const as = await local.makeSystem()
    const response = await local.ask(`PUT ${ME}/picture`, { as, body: gif })
    expect(response).toMatchObject({
      status: 400,
      json: { message: '400: Bad Request (the server has no PUBLIC_URL)' },
    })
  })
})

describe('a picture that its owner takes away', () => {
  const GUILD = '444444444444444444'

  /** A member and a group with a picture, and a URL field. */
  async function createOwner() {
    const as = await makeSystem()
    const [member, group] = [await makeMember(as), await makeGroup(as)]
    const field = await ask(`POST ${ME}/fields`, { as, body: { name: 'Link', type: 'url' } })
    const urls = {
      member: String((await put(as, `/members/${member}`)).json.url),
      group: String((await put(as, `/groups/${group}`)).json.url),
      system: String((await put(as, '/systems/@me')).json.url),
    }
    return { as, member, group, field: String(field.json.id), urls }
  }

  type Owner = Awaited<ReturnType<typeof createOwner>>

  /** Ways in which the picture of the member is taken away. */
  const ways: [string, (of: Owner) => readonly [line: string, body?: unknown]][] = [
    ['is removed', ({ member }) => [`DELETE /ext/v1/members/${member}/picture`]],
    ['is replaced', ({ member }) => [`PUT /ext/v1/members/${member}/picture`, gif]],
    ['has its member deleted', ({ member }) => [`DELETE /v2/members/${member}`]],
    ['has its member deleted by version 1', ({ member }) => [`DELETE /v1/m/${member}`]],
  ]

  test.each(ways)('is not found after it %s, and others are', async (_, way) => {
    const of = await createOwner()
    const [line, body] = way(of)
    expect((await ask(line, { as: of.as, body })).status).toBeOneOf([200, 204])
    const { member, group, system } = of.urls
    expect([await statusOf(member), await statusOf(group), await statusOf(system)]).toEqual([
      404, 200, 200,
    ])
    const headers = { 'if-none-match': '*' }
    expect((await ask(`GET ${pathOf(member)}`, { headers })).status).toBe(404)
  })

  test('is not found after its group is deleted', async () => {
    const { as, group, urls } = await createOwner()
    expect((await ask(`DELETE /v2/groups/${group}`, { as })).status).toBe(204)
    expect([await statusOf(urls.group), await statusOf(urls.member)]).toEqual([404, 200])
  })

  test.each(['few', 'many'])(
    'is not found after its member with %s messages is deleted',
    async (count) => {
      const { as, member, group, field, urls } = await createOwner()
      // Nothing but the member names the pictures.
      for (const [path, body] of [
        [`/v2/members/${member}`, { banner: urls.group }],
        [`/ext/v1/members/${member}`, { fields: { [field]: urls.system } }],
        [`/v2/groups/${group}`, { icon: null }],
        ['/v2/systems/@me', { avatar_url: null }],
      ] as const)
        expect((await ask(`PATCH ${path}`, { as, body })).status).toBe(200)
      if (count === 'many') await addMessages(as, 501)
      expect((await ask(`DELETE /v2/members/${member}`, { as })).status).toBe(204)
      for (const url of Object.values(urls)) expect(await statusOf(url)).toBe(404)
    },
  )

  /** Records messages of the member, which is then only hidden when it is deleted. */
  async function addMessages({ id }: TestSystem, count: number): Promise<void> {
    const [found] = await rows<{ id: number }>(
      deps.db,
      'select id from members where system_id = :id',
      { id },
    )
    const row = {
      sender: '1',
      channel: '1',
      system_id: id,
      member_id: found?.id ?? 0,
      timestamp: 1,
    }
    await deps.transact('new', (tx) =>
      insertAll(
        tx,
        'messages',
        Array.from({ length: count }, (_, at) => ({
          ...row,
          id: `${id}-${at}`,
          original: `${at}`,
        })),
      ),
    )
  }

  /** Places of the same system that may name the picture of the member as well. */
  const places: [
    string,
    (of: Owner, url: string) => Promise<readonly [path: string, body: object]>,
  ][] = [
    ['the system', async (_, avatar_url) => ['/v2/systems/@me', { avatar_url }]],
    ['a group', async ({ group }, banner) => [`/v2/groups/${group}`, { banner }]],
    [
      'another member',
      async ({ as }, webhook_avatar_url) => [
        `/v2/members/${await makeMember(as, 'Ash')}`,
        { webhook_avatar_url },
      ],
    ],
    [
      'a custom field',
      async ({ as, field }, url) => [
        `/ext/v1/members/${await makeMember(as, 'Ash')}`,
        { fields: { [field]: `${url}?size=128` } },
      ],
    ],
    [
      'the system in a guild',
      async ({ as }, avatar_url) => {
        await deps.transact({ system: as.id }, (tx) =>
          insert(tx, 'system_guilds', { guild_id: GUILD, system_id: as.id }),
        )
        return [`/v2/systems/@me/guilds/${GUILD}`, { avatar_url }]
      },
    ],
  ]

  test.each(
    places.flatMap(([place, name]) => ways.map(([title, way]) => ({ place, name, title, way }))),
  )('is served on after it $title while $place names it', async ({ name, way }) => {
    const of = await createOwner()
    const [path, body] = await name(of, of.urls.member)
    expect((await ask(`PATCH ${path}`, { as: of.as, body })).status).toBe(200)
    const [line, sent] = way(of)
    expect((await ask(line, { as: of.as, body: sent })).status).toBeOneOf([200, 204])
    expect(await statusOf(of.urls.member)).toBe(200)
  })

  test('is not found although another system names it', async () => {
    const { as, member, urls } = await createOwner()
    const other = await makeSystem()
    await ask('PATCH /v2/systems/@me', { as: other, body: { avatar_url: urls.member } })
    await ask(`DELETE /v2/members/${member}`, { as })
    expect(await statusOf(urls.member)).toBe(404)
  })

  test('of another system stays, although a member that named it is deleted', async () => {
    const { urls } = await createOwner()
    const { as, member } = await createOwner()
    await ask(`PATCH /v2/members/${member}`, { as, body: { avatar_url: urls.member } })
    await ask(`DELETE /v2/members/${member}`, { as })
    expect(await statusOf(urls.member)).toBe(200)
  })
})

describe('a large body', () => {
  test('of just the limit is stored, of one byte more is refused', async () => {
    const as = await makeSystem()
    expect((await put(as, '/systems/@me', gifOfSize(MAX_PICTURE_BYTES))).status).toBe(200)
    expect((await put(as, '/systems/@me', gifOfSize(MAX_PICTURE_BYTES + 1))).status).toBe(413)
  })

  test('is refused by its length before a byte is read', async () => {
    const as = await makeSystem()
    const { sent, status } = await sendStream(as, { 'content-length': '104857600' })
    expect([status, sent]).toEqual([413, 0])
  })

  test('without a length is refused as soon as it exceeds the limit', async () => {
    const as = await makeSystem()
    const { sent, status } = await sendStream(as, {})
    expect(status).toBe(413)
    expect(sent).toBeLessThanOrEqual(MAX_PICTURE_BYTES + 3 * CHUNK)
  })

  test('of a caller without permission is not read', async () => {
    const as = await makeSystem()
    const token = await ask('POST /v2/systems/@me/tokens', {
      as,
      body: { name: 'read', scope: 'read' },
    })
    const { sent, status } = await sendStream({ ...as, token: String(token.json.token) }, {})
    expect([status, sent]).toEqual([403, 0])
  })

  test('that arrives slowly keeps no other request waiting', async () => {
    const as = await makeSystem()
    const other = await makeSystem()
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = testApp.app.handle(
      new Request(`http://localhost${ME}/picture`, {
        method: 'PUT',
        headers: { authorization: as.token },
        body: new ReadableStream<Uint8Array>({
          async start(controller) {
            controller.enqueue(gif)
            await promise
            controller.close()
          },
        }),
      }),
      () => '',
    )
    for (const caller of [as, other]) {
      expect((await ask('GET /v2/systems/@me', { as: caller })).status).toBe(200)
      const body = { name: 'Changed' }
      expect((await ask('PATCH /v2/systems/@me', { as: caller, body })).status).toBe(200)
    }
    resolve()
    expect((await slow).status).toBe(200)
  })
})

const CHUNK = 64 * 1024

/** Sends a body that never ends, and counts what the server took of it. */
async function sendStream(as: TestSystem, headers: Record<string, string>) {
  let sent = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        sent += CHUNK
        controller.enqueue(gifOfSize(CHUNK))
      },
    },
    { highWaterMark: 0 },
  )
  const request = new Request(`http://localhost${ME}/picture`, {
    method: 'PUT',
    headers: { authorization: as.token, ...headers },
    body,
  })
  const { status } = await testApp.app.handle(request, () => '')
  return { sent, status }
}

describe('the limit of a system', () => {
  const HALF = 512 * 1024

  test('is that of PICTURE_LIMIT, and other systems have their own', async () => {
    const as = await makeSystem()
    for (const size of [HALF, HALF - 1]) {
      const { status } = await put(as, `/members/${await makeMember(as)}`, gifOfSize(size))
      expect(status).toBe(200)
    }
    const full = await put(as, '/systems/@me')
    expect(full).toMatchObject({
      status: 400,
      json: { code: 49001, message: 'Limit reached: pictures of this system (1 MiB).' },
    })
    const other = await makeSystem()
    expect((await put(other, '/systems/@me')).status).toBe(200)
  })

  test('is not exceeded by uploads at the same time', async () => {
    const as = await makeSystem()
    const members = await Promise.all(['A', 'B', 'C', 'D'].map((name) => makeMember(as, name)))
    const results = await Promise.all(
      members.map((member) => put(as, `/members/${member}`, gifOfSize(HALF))),
    )
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 200, 400, 400])
    expect(await pictureNames(as)).toHaveLength(2)
    const stored = await Promise.all(
      members.map(
        async (member) => (await ask(`GET /v2/members/${member}`, { as })).json.avatar_url,
      ),
    )
    expect(stored.filter((url) => url !== null)).toHaveLength(2)
  })

  test('does not count replaced pictures, and a picture that it refuses replaces none', async () => {
    const as = await makeSystem()
    const [wren, ash] = [await makeMember(as), await makeMember(as, 'Ash')]
    const [first, second] = [gifOfSize(HALF), gifOfSize(HALF - 1000)]
    for (const member of [wren, ash, wren, ash, wren])
      expect((await put(as, `/members/${member}`, first)).status).toBe(200)
    const before = await pictureNames(as)
    expect(before).toHaveLength(2)
    expect((await put(as, '/systems/@me')).json.code).toBe(49001)
    expect(await pictureNames(as)).toEqual(before)
    expect((await put(as, `/members/${ash}`, second)).status).toBe(200)
    const { url } = (await put(as, '/systems/@me')).json
    // One that it has room for only while the other is not counted.
    expect((await put(as, '/systems/@me', gifOfSize(1001))).json.code).toBe(49001)
    expect(await statusOf(url)).toBe(200)
    expect((await ask('GET /v2/systems/@me', { as })).json.avatar_url).toBe(url as string)
  })

  test('counts pictures of an import, which reports what it cannot store', async () => {
    const as = await makeSystem()
    const store = (bytes: Uint8Array<ArrayBuffer>) =>
      deps.transact({ system: as.id }, (tx) =>
        storePicture(deps, tx, as.id, { type: 'gif', bytes }),
      )
    const first = await store(gifOfSize(HALF))
    expect(first).toEqual({ url: expect.stringContaining(`${PUBLIC_URL}/pictures/`) })
    await store(gifOfSize(HALF))
    expect(await store(gif)).toMatchObject({ problem: { kind: 'limitReached' } })
    expect(await pictureNames(as)).toHaveLength(2)
  })
})

describe('the cleanup', () => {
  const advance = (time: number) => {
    now += time
  }

  test('deletes a picture that no URL names after a day, not before', async () => {
    const as = await makeSystem()
    const member = await makeMember(as)
    const former = (await put(as, `/members/${member}`)).json.url
    await ask(`PATCH /v2/members/${member}`, { as, body: { avatar_url: null } })
    const current = (await put(as, `/members/${member}`)).json.url
    await deleteUnusedPictures(deps)
    advance(24 * HOUR - SECOND)
    await deleteUnusedPictures(deps)
    expect(await statusOf(former)).toBe(200)
    advance(SECOND)
    await deleteUnusedPictures(deps)
    expect([await statusOf(former), await statusOf(current)]).toEqual([404, 200])
  })

  test('keeps a picture that a URL names again, and counts its day anew', async () => {
    const as = await makeSystem()
    const member = await makeMember(as)
    const url = String((await put(as, `/members/${member}`)).json.url)
    const name = (avatar_url: string | null) =>
      ask(`PATCH /v2/members/${member}`, { as, body: { avatar_url } })
    await name(null)
    await deleteUnusedPictures(deps)
    await name(url)
    advance(25 * HOUR)
    await deleteUnusedPictures(deps)
    await name(null)
    await deleteUnusedPictures(deps)
    advance(23 * HOUR)
    await deleteUnusedPictures(deps)
    expect((await ask(`GET ${pathOf(url)}`)).status).toBe(200)
    advance(HOUR)
    await deleteUnusedPictures(deps)
    expect(await pictureNames(as)).toEqual([])
  })

  test('keeps pictures that any field of the system names, on whichever host', async () => {
    const as = await makeSystem()
    const member = await makeMember(as)
    const group = await makeGroup(as)
    const store = async () => {
      const { url } = (await put(as, '/systems/@me')).json
      // Not by a DELETE or another PUT, which delete it.
      await ask('PATCH /v2/systems/@me', { as, body: { avatar_url: null } })
      return String(url)
    }
    const moved = async (path: string, key: string) => {
      const url = await store()
      const body = { [key]: url.replace(PUBLIC_URL, 'http://192.0.2.1:8080') }
      expect((await ask(`PATCH /v2${path}`, { as, body })).status).toBe(200)
    }
    const places = [
      ['/systems/@me', 'banner'],
      [`/members/${member}`, 'avatar_url'],
      [`/members/${member}`, 'webhook_avatar_url'],
      [`/members/${member}`, 'banner'],
      [`/groups/${group}`, 'icon'],
      [`/groups/${group}`, 'banner'],
    ] as const
    for (const [path, key] of places) await moved(path, key)
    await deps.transact({ system: as.id }, async (tx) => {
      const guild_id = '444444444444444444'
      const [{ id: member_id } = { id: 0 }] = await rows<{ id: number }>(
        tx,
        'select id from members where system_id = :id',
        { id: as.id },
      )
      await insert(tx, 'system_guilds', { guild_id, system_id: as.id })
      await insert(tx, 'member_guilds', { guild_id, member_id })
    })
    for (const path of ['/systems/@me', `/members/${member}`])
      await moved(`${path}/guilds/444444444444444444`, 'avatar_url')
    const field = await ask(`POST ${ME}/fields`, { as, body: { name: 'Link', type: 'url' } })
    await ask(`PATCH /ext/v1/members/${member}`, {
      as,
      body: { fields: { [String(field.json.id)]: await store() } },
    })
    const all = await pictureNames(as)
    expect(all).toHaveLength(places.length + 3)
    await deleteUnusedPictures(deps)
    advance(48 * HOUR)
    await deleteUnusedPictures(deps)
    expect(await pictureNames(as)).toEqual(all)
  })

  test.each<[string, (url: string) => string]>([
    ['a query', (url) => `${url}?size=128`],
    ['a fragment', (url) => `${url}#wren`],
    ['a slash', (url) => `${url}/`],
    ['a proxy of pictures', (url) => `https://proxy.example/?url=${encodeURIComponent(url)}`],
    ['a proxy of pictures that has a folder', (url) => `https://proxy.example/pictures/${url}?w=9`],
  ])('keeps a picture whose URL has %s', async (_, change) => {
    const as = await makeSystem()
    const member = await makeMember(as)
    const url = String((await put(as, `/members/${member}`)).json.url)
    const body = { avatar_url: change(url) }
    expect((await ask(`PATCH /v2/members/${member}`, { as, body })).status).toBe(200)
    await deleteUnusedPictures(deps)
    advance(48 * HOUR)
    await deleteUnusedPictures(deps)
    expect(await pictureNames(as)).toHaveLength(1)
  })

  test('deletes a picture that only another system names', async () => {
    const as = await makeSystem()
    const other = await makeSystem()
    const member = await makeMember(as)
    const url = (await put(as, `/members/${member}`)).json.url
    await ask('PATCH /v2/systems/@me', { as: other, body: { avatar_url: url } })
    await ask(`PATCH /v2/members/${member}`, { as, body: { avatar_url: null } })
    await deleteUnusedPictures(deps)
    advance(24 * HOUR)
    await deleteUnusedPictures(deps)
    expect(await pictureNames(as)).toEqual([])
  })

  test('goes through many pictures of many systems', async () => {
    const systems = [await makeSystem(), await makeSystem()]
    for (const { id } of systems)
      await deps.transact({ system: id }, async (tx) => {
        for (let at = 0; at < 501; at++) await storePicture(deps, tx, id, gifFile)
      })
    await deleteUnusedPictures(deps)
    advance(24 * HOUR)
    await deleteUnusedPictures(deps)
    for (const system of systems) expect(await pictureNames(system)).toEqual([])
  })
})

/** Asks for a picture over HTTP. */
async function statusOf(url: unknown): Promise<number> {
  return (await ask(`GET ${pathOf(url)}`)).status
}

async function pictureNames({ id }: TestSystem): Promise<string[]> {
  const found = await rows<{ name: string }>(
    deps.db,
    'select name from pictures where system_id = :id order by name',
    { id },
  )
  return found.map(({ name }) => name)
}
