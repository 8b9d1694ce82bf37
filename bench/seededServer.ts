import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isolated, program } from './serverProcess'

/** Server with an invented system, for measurements and screenshots of the dashboard. */
export interface SeededServer {
  readonly address: string
  readonly token: string
  ask<T>(line: string, body?: unknown): Promise<T>
  end(): Promise<void>
}

export async function startSeededServer(name: string): Promise<SeededServer> {
  const folder = mkdtempSync(join(tmpdir(), 'multitude-seeded-'))
  const command = program.map((part) => (part.includes('/') ? resolve(part) : part))
  const env = { ...isolated, PATH: process.env.PATH ?? '' }
  const created = Bun.spawnSync([...command, 'system', 'create', '--name', name, '--json'], {
    cwd: folder,
    env,
  })
  const { token } = JSON.parse(created.stdout.toString())
  const server = Bun.spawn([...command, 'serve', '--port', '0', '--log-format', 'json'], {
    cwd: folder,
    // No rate limit for creating a thousand members, and X-Forwarded-For for remote browsers.
    env: { ...env, RATE_LIMIT: 'generic_get=999999,generic_update=999999', TRUST_PROXY: '1' },
    stderr: 'pipe',
  })
  const address = await readAddress(server.stderr)
  return {
    address,
    token,
    async ask<T>(line: string, body?: unknown) {
      const [method = 'GET', path = ''] = line.split(' ')
      const response = await fetch(address + path, {
        method,
        headers: { authorization: token },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${line}: ${response.status} ${await response.text()}`)
      return (await response.json()) as T
    },
    async end() {
      server.kill('SIGTERM')
      await server.exited
      rmSync(folder, { recursive: true })
    },
  }
}

async function readAddress(log: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of log) {
    text += Buffer.from(chunk).toString()
    const [, address] = /"address":"([^"]+)"/.exec(text) ?? []
    if (address) return address
  }
  throw new Error(`the server did not start:\n${text}`)
}

const HOUR = 3_600_000

/** Name, pronouns, color and an SVG picture. */
const seedMembers: [string, string, string, string?][] = [
  [
    'Wren',
    'she/her',
    'd88b4a',
    '<rect width="96" height="96" fill="#f7dfba"/><circle cx="66" cy="28" r="13" fill="#f2a65a"/><path d="M14 62q8-24 34-22q10-14 22-6l10 6l-10 4q-2 22-28 24q-18 0-28-6z" fill="#9c5b36"/><path d="M30 58q12-12 24-6q-8 12-24 6z" fill="#c98a5c"/><circle cx="66" cy="41" r="2.4" fill="#2c2431"/><rect y="74" width="96" height="22" fill="#7da06f"/>',
  ],
  [
    'Iris',
    'she/her',
    '8e62d6',
    '<rect width="96" height="96" fill="#efe6fb"/><g fill="#8e62d6"><ellipse cx="48" cy="27" rx="12" ry="17"/><ellipse cx="48" cy="27" rx="12" ry="17" transform="rotate(72 48 48)"/><ellipse cx="48" cy="27" rx="12" ry="17" transform="rotate(144 48 48)"/><ellipse cx="48" cy="27" rx="12" ry="17" transform="rotate(216 48 48)"/><ellipse cx="48" cy="27" rx="12" ry="17" transform="rotate(288 48 48)"/></g><circle cx="48" cy="48" r="9" fill="#f4c542"/>',
  ],
  [
    'Moss',
    'he/they',
    '6f9e5e',
    '<rect width="96" height="96" fill="#e2edd5"/><path d="M48 14q30 26 0 66q-30-40 0-66z" fill="#5b9052"/><path d="M48 30v56M48 56l13-10M48 66l-13-10" stroke="#33602f" stroke-width="4" fill="none" stroke-linecap="round"/>',
  ],
  [
    'Juno',
    'they/them',
    '5a7fc8',
    '<rect width="96" height="96" fill="#24375f"/><path d="M60 22a30 30 0 1 0 16 40a24 24 0 1 1-16-40z" fill="#f6e3a8"/><g fill="#fff"><circle cx="24" cy="24" r="2"/><circle cx="80" cy="34" r="1.6"/><circle cx="22" cy="74" r="1.6"/><circle cx="74" cy="80" r="2"/></g>',
  ],
  [
    'Atlas',
    'he/him',
    '7b6590',
    '<rect width="96" height="96" fill="#e9dcc9"/><circle cx="70" cy="26" r="9" fill="#e5a13d"/><path d="M0 80l34-46l20 28l12-16l30 34v16H0z" fill="#6c5880"/><path d="M34 34l-12 16l8 2l5-4l6 5z" fill="#fff"/>',
  ],
  [
    'Tide',
    'they/them',
    '3a92ab',
    '<rect width="96" height="96" fill="#cfe6ee"/><circle cx="66" cy="28" r="12" fill="#fbeec6"/><path d="M0 52q12-10 24 0t24 0t24 0t24 0v44H0z" fill="#3a92ab"/><path d="M0 70q12-10 24 0t24 0t24 0t24 0v26H0z" fill="#256479"/>',
  ],
  [
    'Ember',
    'she/they',
    'e06038',
    '<rect width="96" height="96" fill="#4a1f2a"/><path d="M50 12q24 26 20 46a22 22 0 0 1-44 2q-2-16 10-26q2 10 8 12q8-14 6-34z" fill="#ef6a3a"/><path d="M49 50q13 14 8 24a10 10 0 0 1-18-2q-2-10 10-22z" fill="#f8c25c"/>',
  ],
  [
    'Pip',
    'he/him',
    'f29bb2',
    '<rect width="96" height="96" fill="#fcd7e0"/><path d="M28 24l10 18h20l10-18v40a20 20 0 0 1-40 0z" fill="#fff"/><circle cx="40" cy="54" r="3" fill="#2c2431"/><circle cx="56" cy="54" r="3" fill="#2c2431"/><path d="M43 64q5 5 10 0" stroke="#d2607e" stroke-width="3" fill="none" stroke-linecap="round"/>',
  ],
  ['Vesper', 'they/them', '443a66'],
  ['Sunny', 'any', 'f2d15e'],
  ['Ash', 'they/them', '6b7280'],
  ['Bramble', 'they/she', '9b4a63'],
  ['Clover', 'fae/faer', '4fae7a'],
  ['Echo', 'they/them', '93a3b8'],
  ['Lark', 'she/her', 'ffb86b'],
  ['Marlow', 'he/him', '2f7d68'],
  ['Nim', 'she/her', 'bcc6f5'],
  ['Quill', 'xe/xem', '4a5568'],
  ['Robin', 'they/he', 'c24434'],
  ['Sage', 'they/them', 'a2b08a'],
]

/** Usual switches of a day; `seed` varies their times and members. */
const day: [hour: number, ...names: string[]][] = [
  [6.9, 'Wren'],
  [11.2, 'Wren', 'Iris'],
  [13.1, 'Iris', 'Moss'],
  [15.6, 'Ember'],
  [16.7, 'Moss'],
  [18.2, 'Atlas', 'Tide'],
  [20.4, 'Wren', 'Tide'],
  [22.3, 'Juno'],
]

/** Serves the pictures from another origin, as pictures of real members are. */
export function servePictures(): { address: string; stop(): void } {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const name = decodeURIComponent(new URL(request.url).pathname.slice(1, -'.svg'.length))
      const picture = seedMembers.find(([memberName]) => memberName === name)?.[3]
      if (!picture) return new Response(null, { status: 404 })
      return new Response(
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96">${picture}</svg>`,
        { headers: { 'content-type': 'image/svg+xml' } },
      )
    },
  })
  return {
    address: `http://127.0.0.1:${server.port}`,
    stop: () => {
      server.stop(true)
    },
  }
}

/** Creates the members, and the switches of the last days. */
export async function seed(
  { ask }: SeededServer,
  { pictures, days, now }: { pictures: string; days: number; now: number },
): Promise<void> {
  const ids = new Map<string, string>()
  for (const [name, pronouns, color, picture] of seedMembers) {
    const avatar_url = picture ? `${pictures}/${encodeURIComponent(name)}.svg` : null
    const created = await ask<{ id: string }>('POST /v2/members', {
      name,
      pronouns,
      color,
      avatar_url,
    })
    ids.set(name, created.id)
  }
  const random = createRandom()
  const midnight = new Date(now).setUTCHours(0, 0, 0, 0)
  const plan: [at: number, names: string[]][] = []
  for (let back = days; back >= 0; back--)
    for (const [hour, ...usual] of day) {
      const at = midnight - back * 24 * HOUR + (hour + (random() - 0.5) * 1.6) * HOUR
      const names = random() < 0.2 ? [seedMembers[Math.floor(random() * 10)]?.[0] ?? ''] : usual
      if (at < now - 6 * HOUR) plan.push([at, names])
    }
  plan.push([now - 5.3 * HOUR, ['Wren']], [now - 1.9 * HOUR, ['Wren', 'Iris']])
  for (const [index, [at, names]] of plan.entries()) {
    // Skip switches that would not change the front.
    if (names.join() === plan[index - 1]?.[1].join()) continue
    const members = names.map((name) => ids.get(name))
    await ask('POST /v2/systems/@me/switches', { timestamp: new Date(at).toISOString(), members })
  }
}

/** Returns a random number generator that always yields the same sequence. */
function createRandom(): () => number {
  let seed = 7
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
}
