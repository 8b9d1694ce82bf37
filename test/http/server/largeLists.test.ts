import { gunzipSync } from 'node:zlib'
import { createHandler } from '../../../src/http/handler'
import { createLog } from '../../../src/runtime/log'
import type { Deps } from '../../../src/service/core/deps'
import { LARGE_LIST_BYTES } from '../../../src/store/reads/memberListSql'
import { execute, insertAll, rows } from '../../tools/rawSql'
import { afterEach, describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { until } from '../../tools/until'

const testApp = createTestApp({ TRUST_PROXY: '1', RATE_LIMIT: 'off' })
const { app, config, deps } = testApp

/** Numbers of long reads, and of pieces that were read after the first one. */
let longReads = 0
let pieces = 0
const watched: Deps = {
  ...deps,
  longReads: (read, work) => {
    longReads++
    return deps.longReads(read, work)
  },
  openLists: {
    ...deps.openLists,
    readPiece: (read, work) => {
      pieces++
      return deps.openLists.readPiece(read, work)
    },
  },
}
const log: string[] = []
const handle = createHandler({
  deps: watched,
  events: app.events,
  config,
  log: createLog('info', 'json', (text) => log.push(text)),
  checkHealth: app.storage.checkHealth,
  toUnavailable: app.storage.toUnavailable,
  shutdown: {},
})

afterEach(() => {
  const lines = log.splice(0)
  longReads = 0
  pieces = 0
  expect(lines.filter((line) => /"level":"(warn|error)"|"status":5/.test(line))).toEqual([])
})

interface Client {
  as?: TestSystem
  /** Address; local by default. */
  from?: string
  method?: string
  encoding?: string
  signal?: AbortSignal
}

function send(path: string, { as, from, method = 'GET', encoding, signal }: Client = {}) {
  const headers = {
    ...(as && { authorization: as.token }),
    ...(from && { 'x-forwarded-for': from }),
    ...(encoding && { 'accept-encoding': encoding }),
  }
  const request = new Request(`http://x${path}`, { method, headers, ...(signal && { signal }) })
  return handle(request, '127.0.0.1')
}

/** Sends a request, and returns a reader of the body of its response. */
async function open(path: string, client?: Client) {
  const response = await send(path, client)
  expect(response.status).toBe(200)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  return { next: () => reader.read(), leave: () => reader.cancel() }
}

const MEMBERS = 500
const STARS = '★'.repeat(1000)

let largeSystems = 0

/** Creates a public system whose lists of members are large, with all members in one group. */
async function makeLargeSystem() {
  const system = await testApp.makeSystem('Lantern Hill')
  const letter = String.fromCharCode(97 + largeSystems++)
  const { json: keepers } = await testApp.ask('POST /v2/groups', {
    as: system,
    body: { name: 'Keepers' },
  })
  await deps.transact(
    { system: system.id },
    async (tx) => {
      await insertAll(
        tx,
        'members',
        Array.from({ length: MEMBERS }, (_, at) => ({
          uuid: crypto.randomUUID(),
          hid: `${letter.repeat(3)}${at.toString(36).padStart(3, 'm')}`,
          system_id: system.id,
          name: `Wren ${at}`,
          description: STARS,
          visibility: at % 100 === 7 ? 'private' : 'public',
        })),
      )
      await execute(
        tx,
        `insert into group_members (group_id, member_id)
         select groups.id, members.id from groups join members on members.system_id = groups.system_id
         where groups.uuid = :keepers`,
        { keepers: String(keepers.uuid) },
      )
    },
    'long',
  )
  return { system, keepers: String(keepers.uuid) }
}

const { system } = await makeLargeSystem()
const LIST = `/v2/systems/${system.hid}/members`
const EXT_LIST = `/ext/v1/systems/${system.hid}/members`

describe('a large list of members', () => {
  // The list of a group is read at once.
  test.each([
    ['with JSON that is not cached', true],
    ['with cached JSON', false],
  ])('is the same in pieces, %s', async (_, isCold) => {
    // Its members are not cached yet, which is done only once in a minute.
    const { system, keepers } = await makeLargeSystem()
    const path = `/v2/systems/${system.hid}/members`
    const cached = () =>
      until(async () => {
        const sql = `select count(*) as count from rendered_members join members using (id)
          where system_id = :id`
        return Number((await rows(deps.db, sql, { id: system.id }))[0]?.count) === MEMBERS
      })
    if (!isCold) {
      await (await send(path, { as: system })).text()
      await cached()
    }
    for (const as of [undefined, system]) {
      const whole = await (await send(`/v2/groups/${keepers}/members`, as && { as })).text()
      expect(whole.length).toBeGreaterThan(400_000)
      longReads = 0
      pieces = 0
      const response = await send(path, as && { as })
      expect(response.headers.get('etag')).toBeNull()
      expect(response.headers.get('content-type')).toStartWith('application/json')
      expect(await response.text()).toBe(whole)
      expect(longReads).toBe(1)
      expect(pieces).toBeGreaterThan(5)
    }
    await cached()
  })

  test('has more bytes than one of 1,000 members with usual texts', async () => {
    const { status, json } = await testApp.ask('POST /v2/members', {
      as: await testApp.makeSystem('Lantern Street'),
      body: {
        name: 'Wren of the lamps',
        display_name: 'Wren ✨',
        description: 'Keeps the lamps burning. '.repeat(8),
        color: '88c0a8',
        birthday: '0004-11-02',
        pronouns: 'she/her',
        avatar_url: 'https://img.example.org/wren.webp',
        proxy_tags: Array.from({ length: 10 }, (_, at) => ({ prefix: `wren${at}:`, suffix: null })),
      },
    })
    expect(status).toBe(200)
    expect(JSON.stringify(json).length * 1000).toBeLessThan(LARGE_LIST_BYTES)
  })

  test('has in the extension API the members that single reads have', async () => {
    const listed = (await (await send(EXT_LIST)).json()) as { member: { uuid: string } }[]
    expect(pieces).toBeGreaterThan(5)
    expect(listed).toHaveLength(MEMBERS - MEMBERS / 100)
    for (const one of [listed.at(0), listed.at(200), listed.at(-1)]) {
      const single = await (await send(`/ext/v1/members/${one?.member.uuid}`)).json()
      const { system: _, ...rest } = single as Record<string, unknown>
      expect(one).toEqual({ ...rest, about_excerpt: null } as never)
    }
    const customFronts = await send(`${EXT_LIST}?kind=custom_front`)
    expect(await customFronts.json()).toEqual([])
  })

  test('is compressed as it is sent', async () => {
    const from = '203.0.113.9'
    const response = await send(LIST, { from, encoding: 'zstd, gzip' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('vary')).toContain('Accept-Encoding')
    const bytes = await response.bytes()
    expect(bytes.length).toBeLessThan(400_000)
    expect(gunzipSync(bytes).toString()).toBe(await (await send(LIST)).text())
  })

  test('is a long read, as a small list is not', async () => {
    const small = await testApp.makeSystem('Small')
    await testApp.ask('POST /v2/members', { as: small, body: { name: 'Wren' } })
    for (const path of [`/v2/systems/${small.hid}/members`, `/ext/v1/systems/${small.hid}/members`])
      expect((await send(path)).headers.get('etag')).not.toBeNull()
    expect(longReads).toBe(0)
  })

  test('is read only as far as the client takes it', async () => {
    const { next, leave } = await open(LIST)
    await next()
    expect(pieces).toBe(0)
    await next()
    await next()
    expect(pieces).toBe(2)
    await leave()
    expect(pieces).toBe(2)
  })

  test('answers HEAD without reading it', async () => {
    const { status, headers } = await send(LIST, { method: 'HEAD' })
    expect([status, headers.get('content-length')]).toEqual([200, null])
    expect(pieces).toBe(0)
  })

  test('ends when its client closes the connection', async () => {
    const client = new AbortController()
    const { next } = await open(LIST, { signal: client.signal })
    await next()
    client.abort()
    await next().catch(() => {})
    expect(pieces).toBeLessThan(2)
    expect(log.join('')).not.toContain('failed')
  })

  test('breaks off when it becomes private', async () => {
    const { next } = await open(LIST)
    await next()
    const privacy = (level: string) =>
      testApp.ask('PATCH /v2/systems/@me', {
        as: system,
        body: { privacy: { member_list_privacy: level } },
      })
    await privacy('private')
    await expect(next()).rejects.toThrow('could not be read')
    await privacy('public')
  })

  test('leaves out members that were deleted meanwhile', async () => {
    const { system } = await makeLargeSystem()
    const path = `/v2/systems/${system.hid}/members`
    const all = (await (await send(path)).json()) as { uuid: string }[]
    const { next } = await open(path)
    let text = ''
    const take = async () => {
      const { value, done } = await next()
      text += value ? new TextDecoder().decode(value) : ''
      return !done
    }
    await take()
    const last = all.at(-1)
    await testApp.ask(`DELETE /v2/members/${last?.uuid}`, { as: system })
    while (await take());
    expect(JSON.parse(text)).toEqual(all.slice(0, -1))
  })
})

describe('clients that do not read large lists', () => {
  const [A, B] = ['203.0.113.1', '203.0.113.2']

  test('have at most four of them open for each address', async () => {
    const opened = []
    for (let n = 0; n < 4; n++) opened.push(await open(n % 2 === 0 ? LIST : EXT_LIST, { from: A }))
    const refused = await send(LIST, { from: A })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('5')
    const other = await open(LIST, { from: B })
    const own = await open(LIST, { from: A, as: system })
    await opened[0]?.leave()
    opened.push(await open(LIST, { from: A }))
    for (const { leave } of [...opened, other, own]) await leave()
  })

  test('have at most eight of them open for each system of their own', async () => {
    const opened = []
    for (let n = 0; n < 8; n++) opened.push(await open(LIST, { as: system }))
    expect((await send(LIST, { as: system })).status).toBe(429)
    const stranger = await open(LIST)
    for (const { leave } of [...opened, stranger]) await leave()
    const again = await open(LIST, { as: system })
    await again.leave()
  })

  test('free their place when they are answered, refused or gone', async () => {
    for (let n = 0; n < 5; n++) {
      await (await send(LIST, { from: A })).text()
      await send(LIST, { from: A, method: 'HEAD' })
      const client = new AbortController()
      await send(LIST, { from: A, signal: client.signal })
      client.abort()
    }
    const { leave } = await open(LIST, { from: A })
    await leave()
  })
})

describe('a large list of the members of a friend', () => {
  const befriend = async () => {
    const guest = await testApp.makeSystem('Guest')
    const { json: bucket } = await testApp.ask('POST /ext/v1/buckets', {
      as: system,
      body: { name: crypto.randomUUID() },
    })
    await deps.transact({ system: system.id }, (tx) =>
      execute(
        tx,
        `insert into bucket_members (bucket_id, member_id)
         select buckets.id, members.id from buckets join members on members.system_id = buckets.system_id
         where buckets.uuid = :bucket`,
        { bucket: String(bucket.id) },
      ),
    )
    const share = { see_members: true, buckets: [bucket.id] }
    const { json: invite } = await testApp.ask('POST /ext/v1/friends/invites', {
      as: system,
      body: { share },
    })
    const { json: friend } = await testApp.ask('POST /ext/v1/friends', {
      as: guest,
      body: { code: invite.code },
    })
    return { guest, path: `/ext/v1/friends/${friend.id}` }
  }

  test('is the same in pieces', async () => {
    const { guest, path } = await befriend()
    const listed = (await (await send(`${path}/members`, { as: guest })).json()) as {
      member: { uuid: string }
    }[]
    expect(listed).toHaveLength(MEMBERS)
    expect(pieces).toBeGreaterThan(5)
    for (const one of [listed.at(0), listed.at(-1)]) {
      const single = await (await send(`${path}/members/${one?.member.uuid}`, { as: guest })).json()
      expect(one).toEqual({ ...(single as object), about_excerpt: null } as never)
    }
  })

  test('breaks off when it is no longer shared', async () => {
    const { guest, path } = await befriend()
    const { next } = await open(`${path}/members`, { as: guest })
    await next()
    await testApp.ask(`PATCH ${path}`, { as: system, body: { share: { see_members: false } } })
    await expect(next()).rejects.toThrow('could not be read')
  })
})
