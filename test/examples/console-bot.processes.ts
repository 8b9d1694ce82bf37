import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { explain } from '../../examples/multitude'
import { messages } from '../../src/db/tables'
import { ignoreReasons } from '../../src/model/proxy/decide'
import { createBaseSystem, type Send, useAllExtensions } from '../tools/allExtensions'
import { drizzleOn } from '../tools/drizzle'
import { createBot } from '../tools/operatorActions'
import { afterAll, describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

const SCRIPT = join(import.meta.dir, '../../examples/console-bot.ts')
const OFFER = '* This account has no system. Create one with: /register NAME'

const { app, ask, deps, makeSystem } = createTestApp({ PORT: '0' })
const MULTITUDE_URL = app.listen()
const MULTITUDE_BOT_KEY = await createBot(deps, 'console')
const asBot = { authorization: `Bot ${MULTITUDE_BOT_KEY}` }

let accounts = 0
const newAccount = () => `10000000000000000${++accounts}`

/** Types these lines into the bot and returns its output. */
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

describe('console bot', () => {
  test('the console bot registers a system, creates members and proxies messages', async () => {
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
      expect.stringMatching(/^\* Created system [a-z]{6}\. Its token, shown only once: \S{64}$/),
      '* Created member Wren.',
      '* Created member Big Finch.',
      'Wren: hello',
      'Big Finch: there',
      '* The message was proxied by tags.',
      `${account}: just me`,
      '* No tags matched, and autoproxy is off.',
    ])
    const [, token] = /once: (\S+)/.exec(lines[3] ?? '') ?? []
    const registered = await ask('GET /v2/systems/@me', { headers: { authorization: token ?? '' } })
    expect(registered.json).toHaveProperty('name', 'Lantern Hill')
  })

  test('the console bot records each message with a higher ID than the one before', async () => {
    const account = newAccount()
    const env = { MULTITUDE_ACCOUNT: account, MULTITUDE_GUILD: '21', MULTITUDE_CHANNEL: '31' }
    await type(['/register', '/member Wren w:text', 'w:one', 'not this', 'w:two'], env)
    await type(['w:three'], env)
    const records = await recordsOf(account)
    expect(records).toHaveLength(3)
    expect(records.every(({ guild, channel }) => guild === '21' && channel === '31')).toBe(true)
    const ids = records.flatMap(({ original, id }) => [BigInt(original), BigInt(id)])
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(ids).size).toBe(6)
  })

  test('the console bot distinguishes members of one name and shows avatars', async () => {
    const { account, system } = await register()
    const createMember = (name: string, prefix: string, avatar_url: string | null) =>
      ask('POST /v2/members', {
        headers: { ...asBot, 'x-system': system },
        body: { name, avatar_url, proxy_tags: [{ prefix }] },
      })
    await createMember('Wren', 'w:', 'https://pictures.example/wren.png')
    await createMember('Wren', 'o:', null)
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

  test('the console bot supports latch and backslash commands', async () => {
    const { account, system } = await register()
    const guild = '22'
    const headers = { ...asBot, 'x-system': system }
    const body = { autoproxy_mode: 'latch' }
    await ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild}`, { headers, body })
    const input = [
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
    const { lines } = await type(input, {}, ['--account', account, '--guild', guild])
    expect(lines.slice(2)).toEqual([
      `${account}: one`,
      '* Autoproxy is in latch mode, and no member is latched yet.',
      'Wren: two',
      'Wren: three',
      `${account}: \\four`,
      '* The message began with a backslash, which skips autoproxy.',
      `${account}: \\\\\\`,
      '* This was a command: autoproxy is off.',
      `${account}: five`,
    ])
  })

  test('the console bot reports a refused message unless the system has disabled that', async () => {
    const { account, system } = await register()
    const input = ['/member Wren w:text', `w:${'a'.repeat(2001)}`, '/why']
    const notified = await type(input, { MULTITUDE_ACCOUNT: account })
    const reason = '* This message would be longer than 2000 characters, so it cannot be proxied.'
    expect(notified.lines.slice(3)).toEqual([reason, reason])
    const headers = { ...asBot, 'x-system': system }
    const body = { proxy_error_message_enabled: false }
    await ask('PATCH /v2/systems/@me/settings', { headers, body })
    const quiet = await type(input.slice(1), { MULTITUDE_ACCOUNT: account })
    expect(quiet.lines.slice(2)).toEqual([reason])
  })

  test('the console bot changes accounts and continues after errors', async () => {
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
    const greeting = `* Account ${one.account} belongs to system ${one.system}.`
    expect(lines.slice(0, 11)).toEqual([
      greeting,
      expect.stringMatching(/^\* 40\d: /),
      OFFER,
      OFFER,
      `${two}: w:hi`,
      '* 400: Bad Request (account_id must be a number of up to 20 digits)',
      greeting,
      '* 409: Conflict (the account is linked to another system)',
      '* Example: /member Wren [text]',
      '* There is no command /toString. /help lists them.',
      '* There is no command /. /help lists them.',
    ])
    expect(lines.slice(11).join('\n')).toContain('/why')
    expect(code).toBe(0)
  })

  test('the console bot sets autoproxy', async () => {
    const { account } = await register()
    const input = [
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
    const { lines } = await type(input, {}, ['--account', account, '--guild', '23'])
    expect(lines.slice(2)).toEqual([
      '* Example: /autoproxy latch',
      '* Autoproxy in this guild: latch.',
      'Wren: one',
      'Wren: two',
      `${account}: \\\\`,
      '* This was a command: the latch is cleared.',
      '* Autoproxy in this guild: Wren.',
      'Wren: three',
      '* There is no member Magpie.',
      '* Autoproxy in this guild: off.',
      `${account}: four`,
    ])
  })

  test('the console bot proxies an edited message and edits a proxied one', async () => {
    const { account } = await register()
    const input = ['/edit w:x', '/member Wren w:text', '/autoproxy Wren', '\\:oh', '/edit']
    input.push('/edit oh', '/why', '/edit w:hello', '/edit hello you', '/why')
    const { lines } = await type(input, {}, ['--account', account, '--guild', '24'])
    expect(lines.slice(1)).toEqual([
      '* There is no message yet.',
      '* Created member Wren.',
      '* Autoproxy in this guild: Wren.',
      `${account}: \\:oh`,
      '* Example: /edit corrected text',
      `${account}: oh`,
      '* Autoproxy never applies to an edited message.',
      'Wren: hello',
      'Wren: hello you (edited)',
      '* The message was proxied by tags.',
    ])
    expect(await recordsOf(account)).toHaveLength(1)
  })

  test('the console bot looks up a message by either ID and deletes it for its own system only', async () => {
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
    const belongs = ({ account, system }: typeof one) =>
      `* Account ${account} belongs to system ${system}.`
    expect(lines).toEqual([
      belongs(one),
      found,
      found,
      '* There is no such message.',
      '* There is no message yet.',
      belongs(two),
      '* This message belongs to another system.',
      OFFER,
      OFFER,
      belongs(one),
      `* Deleted message ${id}.`,
      '* There is no such message.',
      '* There is no such message.',
    ])
    expect(await recordsOf(one.account)).toEqual([])
  })

  test('the console bot works on any platform with the IDs of that platform', async () => {
    const env = {
      MULTITUDE_BOT_KEY: await createBot(deps, 'matrix', 'matrix'),
      MULTITUDE_PLATFORM: 'matrix',
      MULTITUDE_ACCOUNT: '@wren:example.org',
      MULTITUDE_GUILD: '!space:example.org',
      MULTITUDE_CHANNEL: '!room:example.org',
    }
    const input = [
      '/register',
      '/member Wren w:text',
      '/autoproxy latch',
      'w:one',
      'two',
      '/lookup',
    ]
    const { lines } = await type([...input, '/edit three', '/delete', '/delete'], env)
    expect(lines.slice(3)).toEqual([
      '* Autoproxy in this guild: latch.',
      'Wren: one',
      'Wren: two',
      expect.stringMatching(
        /^\* \d+: Wren of system [a-z]{6}, sent by matrix:@wren:example\.org as \d+\.$/,
      ),
      'Wren: three (edited)',
      expect.stringMatching(/^\* Deleted message \d+\.$/),
      expect.stringMatching(/^\* Deleted message \d+\.$/),
    ])
    expect(await recordsOf('matrix:@wren:example.org')).toEqual([])
  })

  test('the console bot exits on /quit and ignores further input', async () => {
    const bot = start([], { MULTITUDE_ACCOUNT: newAccount() }, 'pipe')
    bot.stdin.write('/quit\nw:not heard\n')
    bot.stdin.flush()
    expect(await bot.exited).toBe(0)
    expect(await bot.stdout.text()).toBe(`${OFFER}\n`)
  })

  test('the console bot proxies for a system that uses all extensions', async () => {
    const env = { MULTITUDE_ACCOUNT: newAccount() }
    const created = await type(['/register Lantern Hill'], env)
    const [, token = ''] = /once: (\S+)/.exec(created.lines.join()) ?? []
    const send: Send = async <T>(line: string, body?: unknown) => {
      const { status, text, json } = await ask<T>(line, { headers: { authorization: token }, body })
      if (status >= 400) throw new Error(`${line}: ${text}`)
      return json
    }
    await useAllExtensions(send, await createBaseSystem(send))
    const { lines } = await type(
      ['wren:hello', 'elm:hello', 'asleep:hello', '/autoproxy front', 'hi'],
      env,
    )
    expect(lines.slice(1)).toEqual([
      'Wren: hello',
      'Elm: hello',
      'Asleep: hello',
      '* Autoproxy in this guild: front.',
      'Wren: hi',
    ])
  })
})

describe('errors of the console bot', () => {
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<html>') })
  afterAll(() => other.stop(true))

  const cases: Record<string, [flags: string[], code: number, first: string | RegExp]> = {
    'a wrong key': [['--key', 'wrong'], 1, 'The server does not know this bot key.'],
    'no key': [['--key', ''], 2, 'A bot key is required.'],
    'a server that does not answer': [
      ['--url', 'http://127.0.0.1:9/'],
      1,
      'No server answers at http://127.0.0.1:9.',
    ],
    'an invalid URL': [['--url', 'here'], 1, 'No server answers at here.'],
    'a server that is not Multitude': [
      ['--url', other.url.href],
      1,
      `The server at ${other.url.origin} is not Multitude.`,
    ],
    'an invalid account': [['--account', 'me'], 1, /^400: Bad Request \(account_id must be/],
    'an unknown flag': [['--nope'], 2, /--nope/],
  }

  test.each(Object.entries(cases))(
    'the console bot reports %s in one line',
    async (_, [flags, expected, first]) => {
      const { lines, err, code } = await type(['w:hello'], {}, flags)
      expect({ lines, code }).toEqual({ lines: [], code: expected })
      expect(err.split('\n')[0] ?? '').toMatch(first)
      expect(err).not.toMatch(/^\s+at /m)
    },
  )

  test('the console bot reports a system’s token instead of a key without printing it', async () => {
    const { token } = await makeSystem()
    const { err, code } = await type([], { MULTITUDE_BOT_KEY: token })
    expect({ err, code }).toEqual({ err: expect.stringContaining('bot create --name'), code: 1 })
    expect(err).not.toContain(token)
  })

  test('the console bot reports an invalid guild by the key in the request', async () => {
    const { lines } = await type(['w:hello'], { MULTITUDE_GUILD: 'here' })
    expect(lines.at(-1)).toMatch(/^\* .*guild_id: Must be a number/)
  })
})

describe('source of the examples', () => {
  test('the examples explain every reason to ignore a message', () => {
    const unexplained = ignoreReasons.filter(
      (reason) => explain({ action: 'ignore', reason }, OFFER) === reason,
    )
    expect(unexplained).toEqual([])
  })

  test.each(['console-bot.ts', 'multitude.ts'])('%s imports nothing of the server', (file) => {
    const source = readFileSync(join(SCRIPT, '..', file), 'utf8')
    const imports = [...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from)
    expect(imports.filter((from) => !/^(node:.*|\.\/multitude)$/.test(from ?? ''))).toEqual([])
  })
})

async function recordsOf(account: string) {
  const all = await drizzleOn(deps.db).select().from(messages).all()
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
