import { connect } from 'node:net'
import { hidOf, known } from './data'
import { friends, longTexts } from './overloadData'

/**
 * Loads that a remote client may put on the server, by name. All send X-Forwarded-For, so that they
 * are limited like remote clients.
 */
export const loads: Record<string, (address: string) => Promise<never>> = {
  'fronting sums': requestSums,
  '118,000 keys': postKeys,
  'bulk changes': changeMembers,
  'unfinished bodies': (address) => startBodies(address, 'POST /web/session', 3000, '', 7),
  'unfinished bodies of a token': (address) =>
    startBodies(address, 'POST /ext/v1/systems/@me/notes', 500_000, known.bigToken, 1),
  'long members, left': (address) => leaveEarly(address, longMembers, 50),
  'long members': (address) => read(address, longMembers, { connections: 2 }),
  'long members, gzip': (address) =>
    read(address, longMembers, { connections: 2, encoding: 'gzip' }),
  'long members, not read': (address) => requestWithoutReading(address, longMembers, 20),
  'long members of a friend': (address) => readMembersOfFriend(address),
  'v2 members': (address) =>
    read(address, `/v2/systems/${known.big}/members`, { connections: 4, addresses: 4 }),
  'v2 members, left': (address) => leaveEarly(address, `/v2/systems/${known.big}/members`, 15),
  polls: (address) => read(address, own('polls?limit=1000'), { connections: 2 }),
  export: (address) => read(address, '/v2/systems/@me/export'),
  'export as PluralPort': (address) => read(address, '/v2/systems/@me/export?format=pluralport'),
  comments: (address) => read(address, own('front/notes?kind=comment')),
  'comments of a member': (address) =>
    read(address, own(`front/notes?kind=comment&member=${hidOf(1)}`)),
  'unread posts': (address) => read(address, own('posts/unread'), { connections: 4 }),
  'posts for the system': (address) => read(address, own('posts?for=@system')),
  'posts marked as read': (address) =>
    inParallel(1, () => post(address, own('posts/read'), '{"for":"@system"}', known.bigToken)),
  'search in notes': (address) =>
    read(address, own('notes?search=nowhere%20to%20be%20found'), { connections: 12 }),
  '1,000 notes': (address) => read(address, own('notes?limit=1000')),
  "friends' streams": changeFrontsOfFriends,
  'deep JSON': (address) =>
    inParallel(1, async () => {
      await post(address, '/v2/members', '['.repeat(1_000_000), known.bigToken)
      return 1000 / 3
    }),
}

const longMembers = `/ext/v1/systems/${longTexts.hid}/members`
const own = (path: string) => `/ext/v1/systems/@me/${path}`

/** Number of responses that the load of this process got, by status. */
const statusCounts: Record<string, number> = {}

/** Puts a load on the server until this process is stopped, then prints the responses that it got. */
export async function runLoad(name: string, address: string): Promise<void> {
  process.on('SIGTERM', () => {
    console.log(JSON.stringify(statusCounts))
    process.exit()
  })
  await loads[name]?.(address)
}

function countStatus(status: number | 'none'): void {
  statusCounts[status] = (statusCounts[status] ?? 0) + 1
}

/** Sends a request, counts its response and returns Retry-After in milliseconds, or 0. */
async function send(address: string, init: RequestInit): Promise<number> {
  try {
    const response = await fetch(address, init)
    for await (const _ of response.body ?? []);
    countStatus(response.status)
    return Number(response.headers.get('retry-after') ?? 0) * 1000
  } catch {
    countStatus('none')
    return 0
  }
}

function post(address: string, path: string, body: string, token?: string): Promise<number> {
  const headers = {
    'x-forwarded-for': '198.51.100.250',
    ...(token !== undefined && { authorization: token }),
  }
  return send(address + path, { method: 'POST', headers, body })
}

/** Reads the whole answer on several connections, again as soon as it has arrived. */
function read(
  address: string,
  path: string,
  { connections = 1, addresses = 1, encoding = 'identity' } = {},
): Promise<never> {
  return inParallel(connections, (client) =>
    send(address + path, {
      headers: {
        authorization: /@me|friends/.test(path) ? known.bigToken : '',
        'accept-encoding': encoding,
        'x-forwarded-for': `198.51.100.${client % addresses}`,
      },
    }),
  )
}

/** Two addresses request at their rate limit and close each connection after some time. */
async function leaveEarly(address: string, path: string, afterMs: number): Promise<never> {
  for (let at = 0; ; at++) {
    void send(address + path, {
      headers: { 'x-forwarded-for': `198.51.100.${at % 2}` },
      keepalive: false,
      signal: AbortSignal.timeout(afterMs),
    })
    await Bun.sleep(1000 / 10 / 2)
  }
}

/** Several addresses start three requests a second each, whose bodies never arrive. */
async function startBodies(
  address: string,
  line: string,
  length: number,
  token: string,
  addresses: number,
): Promise<never> {
  for (let at = 0; ; at++) {
    const socket = openSocket(address)
    socket.write(
      `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${length}\r\nX-Forwarded-For: 198.51.100.${at % addresses}\r\n` +
        `${token && `Authorization: ${token}\r\n`}\r\n{`,
    )
    socket.once('data', (head) => countStatus(Number(String(head).slice(9, 12))))
    await Bun.sleep(1000 / 3 / addresses)
  }
}

/** Keeps connections open whose answers are not read. */
async function requestWithoutReading(address: string, path: string, count: number): Promise<never> {
  return inParallel(count, async (client) => {
    const socket = openSocket(address)
    socket.pause()
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 198.51.100.${client}\r\n\r\n`,
    )
    await new Promise((resolve) => socket.once('close', resolve))
    countStatus('none')
    return 100
  })
}

function openSocket(address: string) {
  const { hostname, port } = new URL(address)
  return connect(Number(port), hostname).on('error', () => {})
}

async function readMembersOfFriend(address: string): Promise<never> {
  const headers = { authorization: known.bigToken }
  const response = await fetch(`${address}/ext/v1/friends`, { headers })
  const all = (await response.json()) as { id: string; name: string }[]
  const friend = all.find(({ name }) => name === longTexts.friend)
  return read(address, `/ext/v1/friends/${friend?.id}/members`, { connections: 2 })
}

/** One system opens 20 streams of its friends, each of whom logs three large switches a second. */
async function changeFrontsOfFriends(address: string): Promise<never> {
  for (let stream = 0; stream < 20; stream++)
    void send(`${address}/ext/v1/friends/stream`, { headers: { authorization: known.bigToken } })
  return inParallel(friends.length, async (client) => {
    const friend = friends[client]
    const members = friend?.members.toSorted(() => Math.random() - 0.5)
    const body = JSON.stringify({ members })
    return Math.max(1000 / 3, await post(address, '/v2/systems/@me/switches', body, friend?.token))
  })
}

/** Five clients request sums of a long history at their rate limit and disconnect after 50 ms. */
async function requestSums(address: string): Promise<never> {
  const since = Date.UTC(2020, 0, 1)
  const until = new Date(since + 2 * 86_400_000).toISOString()
  for (let at = 0; ; at++) {
    const sum = ['pairs', 'totals', 'hours'][at % 3]
    // Each requests another span, so that no two of them share a computation.
    const from = new Date(since + at * 1000).toISOString()
    void send(`${address}/v2/systems/${known.big}/fronting/${sum}?since=${from}&until=${until}`, {
      headers: { 'x-forwarded-for': `198.51.100.${at % 5}` },
      keepalive: false,
      signal: AbortSignal.timeout(50),
    })
    await Bun.sleep(1000 / 10 / 5)
  }
}

/** Four clients post objects of very many keys, each as soon as its last request is answered. */
async function postKeys(address: string): Promise<never> {
  const keys = Array.from({ length: 118_000 }, (_, at) => `"${at.toString(36)}":0`)
  const body = `{${keys.join()}}`
  return inParallel(4, (client) =>
    send(`${address}/web/session`, {
      method: 'POST',
      headers: { 'x-forwarded-for': `198.51.100.${client}` },
      body,
    }),
  )
}

/** One token changes 1,000 members per request, again as soon as a request is answered. */
async function changeMembers(address: string): Promise<never> {
  const patches: ((round: number) => object)[] = [
    (round) => ({ description: `${round} `.repeat(900).slice(0, 900) }),
    (round) => ({
      proxy_tags: Array.from({ length: 40 }, (_, tag) => ({ prefix: `${round}.${tag}:` })),
    }),
    (round) => ({ privacy: { visibility: round % 2 === 0 ? 'public' : 'private' } }),
  ]
  let round = 0
  return inParallel(3, () => {
    const patch = patches[round % patches.length]?.(round)
    const changes = Array.from({ length: 1000 }, (_, at) => ({ id: hidOf(at + 1), ...patch }))
    round++
    return send(`${address}/v2/systems/@me/members`, {
      method: 'PATCH',
      headers: { authorization: known.bigToken, 'x-forwarded-for': '198.51.100.250' },
      body: JSON.stringify(changes),
    })
  })
}

/** Repeats the request on several connections, and waits as long as Retry-After says. */
async function inParallel(
  count: number,
  request: (client: number) => Promise<number>,
): Promise<never> {
  const repeatRequest = async (_: unknown, client: number): Promise<never> => {
    for (;;) await Bun.sleep(await request(client))
  }
  return Promise.race(Array.from({ length: count }, repeatRequest))
}
