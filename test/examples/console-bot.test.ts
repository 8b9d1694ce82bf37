import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { explain } from '../../examples/multitude'
import { messages } from '../../src/db/tables'
import { ignoreReasons } from '../../src/model/proxy/decide'
import { createBot } from '../operatorActions'
import { createTestApp } from '../testApp'

const SCRIPT = join(import.meta.dir, '../../examples/console-bot.ts')
const OFFER = '* This account has no system. Make one with: /register NAME'

const { app, ask, deps, makeSystem } = createTestApp({ PORT: '0' })
const MULTITUDE_URL = app.listen()
const MULTITUDE_BOT_KEY = await createBot(deps, 'console')
const asBot = { authorization: `Bot ${MULTITUDE_BOT_KEY}` }

let accounts = 0
const newAccount = () => `10000000000000000${++accounts}`

/** What the bot prints when these lines are typed into it. */
async function type(lines: string[], env: Record<string, string>, flags: string[] = []) {
  const bot = start(flags, env, new Blob(lines.map((line) => `${line}\n`)))
  const [out, err, code] = await Promise.all([bot.stdout.text(), bot.stderr.text(), bot.exited])
  return { lines: out.split('\n').slice(0, -1), err, code }
}

function start<In extends Blob | 'pipe'>(flags: string[], env: Record<string, string>, stdin: In) {
  return Bun.spawn([process.execPath, SCRIPT, ...flags], {
    env: { MULTITUDE_URL, MULTITUDE_BOT_KEY, ...env },
    stdin,
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

describe('a conversation', () => {
  test('goes from an account without a system to messages of its members', async () => {
    const account = newAccount()
    const { lines, err, code } = await type(
      [
        'hello?',
        '/why',
        '/register Lantern Hill',
        '/member Wren w:text',
        '/member Big Finch [text]',
        'w:hello',
        '[there]',
        '/why',
        ' ',
        'just me',
        '/why',
      ],
      { MULTITUDE_ACCOUNT: account },
    )
    expect({ err, code }).toEqual({ err: '', code: 0 })
    expect(lines).toEqual([
      OFFER,
      `${account}: hello?`,
      OFFER,
      expect.stringMatching(/^\* System [a-z]{6} is made\. Its token, shown this once: \S{64}$/),
      '* Wren is made.',
      '* Big Finch is made.',
      'Wren: hello',
      'Big Finch: there',
      '* It was proxied, by tags.',
      `${account}: just me`,
      '* No tags matched, and autoproxy is off.',
    ])
    const [, token] = /once: (\S+)/.exec(lines[3] ?? '') ?? []
    const own = await ask('GET /v2/systems/@me', { headers: { authorization: token ?? '' } })
    expect(own.json).toHaveProperty('name', 'Lantern Hill')
  })

  test('is recorded, each message under a higher ID than the one before', async () => {
    const account = newAccount()
    const env = { MULTITUDE_ACCOUNT: account, MULTITUDE_GUILD: '21', MULTITUDE_CHANNEL: '31' }
    await type(['/register', '/member Wren w:text', 'w:one', 'not this', 'w:two'], env)
    await type(['w:three'], env)
    const own = await recordsOf(account)
    expect(own).toHaveLength(3)
    expect(own.every(({ guild, channel }) => guild === '21' && channel === '31')).toBe(true)
    const ids = own.flatMap(({ original, id }) => [BigInt(original), BigInt(id)])
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(ids).size).toBe(6)
  })

  test('keeps two of one name apart, and shows their pictures', async () => {
    const { account, system } = await register()
    const make = (name: string, prefix: string, avatar_url: string | null) =>
      ask('POST /v2/members', {
        headers: { ...asBot, 'x-system': system },
        body: { name, avatar_url, proxy_tags: [{ prefix }] },
      })
    await make('Wren', 'w:', 'https://pictures.example/wren.png')
    await make('Wren', 'o:', null)
    const { lines } = await type(['w:one', 'w:two', 'o:three', 'o:four'], {}, [
      '--account',
      account,
    ])
    expect(lines.slice(1)).toEqual([
      'Wren: one',
      '  (https://pictures.example/wren.png)',
      'Wren: two',
      '  (https://pictures.example/wren.png)',
      'Wren\u200A\u17B5: three',
      'Wren\u200A\u17B5: four',
    ])
  })

  test('latches, and obeys the backslashes', async () => {
    const { account, system } = await register()
    const guild = '22'
    const headers = { ...asBot, 'x-system': system }
    const body = { autoproxy_mode: 'latch' }
    await ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild}`, { headers, body })
    const said = [
      '/member Wren w:text',
      'one',
      '/why',
      'w:two',
      'three',
      '\\four',
      '/why',
      '\\\\\\',
      '/why',
      'five',
    ]
    const { lines } = await type(said, {}, ['--account', account, '--guild', guild])
    expect(lines.slice(2)).toEqual([
      `${account}: one`,
      '* Autoproxy latches to whoever speaks, and nobody has spoken yet.',
      'Wren: two',
      'Wren: three',
      `${account}: \\four`,
      '* It began with a backslash, which keeps autoproxy away.',
      `${account}: \\\\\\`,
      '* It was a command: autoproxy is off.',
      `${account}: five`,
    ])
  })

  test('is told what is refused, unless the system does not want it', async () => {
    const { account, system } = await register()
    const said = ['/member Wren w:text', `w:${'a'.repeat(2001)}`, '/why']
    const loud = await type(said, { MULTITUDE_ACCOUNT: account })
    const reason = '* This message would be longer than 2000 characters, so it cannot be proxied.'
    expect(loud.lines.slice(3)).toEqual([reason, reason])
    const headers = { ...asBot, 'x-system': system }
    const body = { proxy_error_message_enabled: false }
    await ask('PATCH /v2/systems/@me/settings', { headers, body })
    const quiet = await type(said.slice(1), { MULTITUDE_ACCOUNT: account })
    expect(quiet.lines.slice(2)).toEqual([reason])
  })

  test('changes accounts, and goes on after what went wrong', async () => {
    const [one, two] = [await register(), newAccount()]
    const { lines, code } = await type(
      [
        '/as',
        `/as ${two}`,
        '/member Wren w:text',
        'w:hi',
        '/as me',
        `/as ${one.account}`,
        '/register',
      ].concat(['/member Wren', '/toString', '/', '/help']),
      { MULTITUDE_ACCOUNT: one.account },
    )
    const greeting = `* Account ${one.account} speaks for system ${one.system}.`
    expect(lines.slice(0, 11)).toEqual([
      greeting,
      expect.stringMatching(/^\* 40\d: /),
      OFFER,
      OFFER,
      `${two}: w:hi`,
      '* 400: Bad Request (account_id must be a number of up to 20 digits)',
      greeting,
      '* 409: Conflict (the account is linked to another system)',
      '* Such as: /member Wren [text]',
      '* There is no command /toString. /help lists them.',
      '* There is no command /. /help lists them.',
    ])
    expect(lines.slice(11).join('\n')).toContain('/why')
    expect(code).toBe(0)
  })

  test('sets autoproxy as it is told', async () => {
    const { account } = await register()
    const said = [
      '/member Wren w:text',
      '/autoproxy',
      '/autoproxy latch',
      'w:one',
      'two',
      '\\\\',
      '/why',
      '/autoproxy WREN',
      'three',
      '/autoproxy Magpie',
      '/autoproxy off',
      'four',
    ]
    const { lines } = await type(said, {}, ['--account', account, '--guild', '23'])
    expect(lines.slice(2)).toEqual([
      '* Such as: /autoproxy latch',
      '* Autoproxy in this guild: latch.',
      'Wren: one',
      'Wren: two',
      `${account}: \\\\`,
      '* It was a command: nobody is latched any more.',
      '* Autoproxy in this guild: Wren.',
      'Wren: three',
      '* There is no member Magpie.',
      '* Autoproxy in this guild: off.',
      `${account}: four`,
    ])
  })

  test('is edited: what was plain gets its tags, what was proxied other words', async () => {
    const { account } = await register()
    const said = ['/edit w:x', '/member Wren w:text', '/autoproxy Wren', '\\:oh', '/edit']
    said.push('/edit oh', '/why', '/edit w:hello', '/edit hello you', '/why')
    const { lines } = await type(said, {}, ['--account', account, '--guild', '24'])
    expect(lines.slice(1)).toEqual([
      '* Nothing was said yet.',
      '* Wren is made.',
      '* Autoproxy in this guild: Wren.',
      `${account}: \\:oh`,
      '* Such as: /edit what was meant',
      `${account}: oh`,
      '* Autoproxy never applies to an edited message.',
      'Wren: hello',
      'Wren: hello you (edited)',
      '* It was proxied, by tags.',
    ])
    expect(await recordsOf(account)).toHaveLength(1)
  })

  test('is looked up by either ID, and taken back by its own system alone', async () => {
    const [one, two, stranger] = [await register(), await register(), newAccount()]
    const env = { MULTITUDE_ACCOUNT: one.account }
    await type(['/member Wren w:text', 'w:first', 'w:second', '/delete'], env)
    const [first] = await recordsOf(one.account)
    const { id = '', original = '' } = first ?? {}
    expect(await recordsOf(one.account)).toHaveLength(1)
    const { lines } = await type(
      [
        `/lookup ${id}`,
        `/lookup ${original}`,
        '/lookup 1',
        '/lookup',
        `/as ${two.account}`,
        `/delete ${id}`,
        `/as ${stranger}`,
        `/delete ${id}`,
        `/as ${one.account}`,
        `/delete ${original}`,
        `/lookup ${id}`,
        `/delete ${id}`,
      ],
      env,
    )
    const found = `* ${id}: Wren of system ${one.system}, sent by ${one.account} as ${original}.`
    const speaks = ({ account, system }: typeof one) =>
      `* Account ${account} speaks for system ${system}.`
    expect(lines).toEqual([
      speaks(one),
      found,
      found,
      '* There is no such message.',
      '* Nothing was said yet.',
      speaks(two),
      '* It is of another system.',
      OFFER,
      OFFER,
      speaks(one),
      `* ${id} is gone.`,
      '* There is no such message.',
      '* There is no such message.',
    ])
    expect(await recordsOf(one.account)).toEqual([])
  })

  test('speaks of any platform, with the IDs it has there', async () => {
    const env = {
      MULTITUDE_BOT_KEY: await createBot(deps, 'matrix', 'matrix'),
      MULTITUDE_PLATFORM: 'matrix',
      MULTITUDE_ACCOUNT: '@wren:example.org',
      MULTITUDE_GUILD: '!space:example.org',
      MULTITUDE_CHANNEL: '!room:example.org',
    }
    const said = ['/register', '/member Wren w:text', '/autoproxy latch', 'w:one', 'two', '/lookup']
    const { lines } = await type([...said, '/edit three', '/delete', '/delete'], env)
    expect(lines.slice(3)).toEqual([
      '* Autoproxy in this guild: latch.',
      'Wren: one',
      'Wren: two',
      expect.stringMatching(
        /^\* \d+: Wren of system [a-z]{6}, sent by matrix:@wren:example\.org as \d+\.$/,
      ),
      'Wren: three (edited)',
      expect.stringMatching(/^\* \d+ is gone\.$/),
      expect.stringMatching(/^\* \d+ is gone\.$/),
    ])
    expect(await recordsOf('matrix:@wren:example.org')).toEqual([])
  })

  test('ends with /quit, though more could be typed', async () => {
    const bot = start([], { MULTITUDE_ACCOUNT: newAccount() }, 'pipe')
    bot.stdin.write('/quit\nw:not heard\n')
    bot.stdin.flush()
    expect(await bot.exited).toBe(0)
    expect(await bot.stdout.text()).toBe(`${OFFER}\n`)
  })
})

describe('what is wrong is said in one line', () => {
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<html>') })
  afterAll(() => other.stop(true))

  const cases: Record<string, [flags: string[], code: number, first: string | RegExp]> = {
    'a wrong key': [['--key', 'wrong'], 1, 'The server does not know this bot key.'],
    'no key at all': [['--key', ''], 2, 'A bot key is needed.'],
    'a server that is not there': [
      ['--url', 'http://127.0.0.1:9/'],
      1,
      'No server answers at http://127.0.0.1:9.',
    ],
    'an address that is none': [['--url', 'here'], 1, 'No server answers at here.'],
    'a server of another kind': [
      ['--url', other.url.href],
      1,
      `What answers at ${other.url.origin} is not Multitude.`,
    ],
    'an account that is none': [['--account', 'me'], 1, /^400: Bad Request \(account_id must be/],
    'a flag that does not exist': [['--nope'], 2, /--nope/],
  }

  test.each(Object.entries(cases))('%s', async (_, [flags, expected, first]) => {
    const { lines, err, code } = await type(['w:hello'], {}, flags)
    expect({ lines, code }).toEqual({ lines: [], code: expected })
    expect(err.split('\n')[0] ?? '').toMatch(first)
    expect(err).not.toMatch(/^\s+at /m)
  })

  test('a system’s token for a key', async () => {
    const { token } = await makeSystem()
    const { err, code } = await type([], { MULTITUDE_BOT_KEY: token })
    expect({ err, code }).toEqual({ err: expect.stringContaining('bot create --name'), code: 1 })
    expect(err).not.toContain(token)
  })

  test('a guild that is none, by the key of the request', async () => {
    const { lines } = await type(['w:hello'], { MULTITUDE_GUILD: 'here' })
    expect(lines.at(-1)).toMatch(/^\* .*guild_id: Must be a number/)
  })
})

describe('the template', () => {
  test('has words for every reason', () => {
    const wordless = ignoreReasons.filter(
      (reason) => explain({ action: 'ignore', reason }, OFFER) === reason,
    )
    expect(wordless).toEqual([])
  })

  test.each(['console-bot.ts', 'multitude.ts'])('%s needs nothing of the server', (file) => {
    const source = readFileSync(join(SCRIPT, '..', file), 'utf8')
    const imports = [...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from)
    expect(imports.filter((from) => !/^(node:.*|\.\/multitude)$/.test(from ?? ''))).toEqual([])
  })
})

async function recordsOf(account: string) {
  const all = await deps.db.select().from(messages).all()
  return all.filter(({ sender }) => sender === account)
}

async function register(): Promise<{ account: string; system: string }> {
  const account = newAccount()
  const body = { account_id: account }
  const { json } = await ask<{ system: { id: string } }>('POST /bot/systems', {
    headers: asBot,
    body,
  })
  return { account, system: json.system.id }
}
