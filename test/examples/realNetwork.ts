import { Database } from 'bun:sqlite'
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { commandLine, emptyFolder } from '../serverProcess'
import { ngircd, startNgircd, waitFor } from './ngircd'

const SCRIPT = join(import.meta.dir, '../../examples/irc-bot.ts')
const OFFER = 'You have no system. Make one with: !register NAME'
const NOT_FOR_LONG = 'so I know you only until you or I disconnect or leave'
const PATIENCE_MS = 60_000

if (!ngircd) test.skip('SKIPPED: there is no ngircd here, which Debian has as a package', () => {})

describe('on a real IRC server', async () => {
  if (!ngircd) return
  const cwd = emptyFolder('irc-')
  const { runJson, startServer } = await commandLine()
  const server = await startServer([], { cwd })
  const create = ['bot', 'create', '--name', 'irc', '--platform', 'irc']
  const { key } = await runJson<{ key: string }>(create, { cwd })
  const ircd = await startNgircd()
  const services = await ircd.linkServices()
  // The first in a channel is its operator.
  const otter = await ircd.join('otter', '#lantern', '#den')
  const bot = startBot()
  afterEach(() => ircd.dismissGuests(otter))
  await otter.sees('multitude joins #den')

  function startBot() {
    const place = ['--host', '127.0.0.1', '--port', `${ircd.port}`, '--plain']
    const words = [...place, '--network', 'lantern', '--channels', '#lantern,#den']
    const child = Bun.spawn([process.execPath, SCRIPT, ...words], {
      env: { MULTITUDE_URL: server.address, MULTITUDE_BOT_KEY: key },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    afterAll(() => child.kill('SIGKILL'))
    return child
  }

  /** Somebody in the channels with a system and its member Wren. */
  async function register(nick: string) {
    const client = await ircd.join(nick, '#lantern', '#den')
    const answer = await client.asks('!register Lantern Hill')
    const [, token = ''] = / (\S{64})$/.exec(answer) ?? []
    expect(await client.asks('!member Wren w:text')).toBe('Wren is made.')
    return { ...client, answer, token }
  }

  function askMultitude(line: string, token: string, body?: object) {
    const [method = '', path] = line.split(' ')
    const headers = { authorization: token }
    return fetch(server.address + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  function read<T>(sql: string, ...values: string[]): T[] {
    using db = new Database(join(cwd, 'data/multitude.db'), { readonly: true })
    return db.query<T, string[]>(sql).all(...values)
  }

  /** What the other client heard once a line came through that was said after everything else. */
  async function heardSince(speaker: { say(text: string): void }, since: number) {
    const end = crypto.randomUUID()
    speaker.say(end)
    await waitFor('the last line', () => otter.heard.some((line) => line.endsWith(end)))
    return otter.heard.slice(since, -1)
  }

  test(
    'a line with tags reaches the other client under the member’s name, and is recorded',
    async () => {
      const robin = await register('robin')
      expect(robin.answer).toMatch(/^System [a-z]{6} is made\. You are not logged in to services, /)
      expect(robin.answer).toContain(NOT_FOR_LONG)
      robin.say('w:hello there')
      await otter.hears('multitude: <Wren> hello there')
      await robin.asks('!why')
      const [message] = read<{ id: string }>('select * from messages')
      const path = `GET /v2/messages/${encodeURIComponent(message?.id ?? '')}`
      expect(message).toMatchObject({
        id: expect.stringMatching(/^irc:lantern\/[\da-f-]{36}$/),
        original: expect.stringMatching(/^irc:lantern\/[\da-f-]{36}$/),
        sender: expect.stringMatching(/^irc:lantern\/![\da-f-]{36}$/),
        channel: 'irc:lantern/#lantern',
        guild: 'irc:lantern',
      })
      const found = await askMultitude(path, robin.token)
      expect(await found.json()).toMatchObject({ member: { name: 'Wren' } })
      expect(await otter.asks('!delete')).toBe(OFFER)
      expect(await robin.asks('!delete', '#den')).toContain('I remember no message')
      expect(await robin.asks('!delete')).toBe(
        'Its record is gone. What was read on IRC stays read.',
      )
      expect((await askMultitude(path, robin.token)).status).toBe(404)
    },
    PATIENCE_MS,
  )

  test(
    'whoever asks is told why not, and only they',
    async () => {
      const robin = await register('robin')
      otter.say('w:hello')
      expect(await otter.asks('!why')).toBe(OFFER)
      robin.say('hello')
      expect(await robin.asks('!why')).toBe('No tags matched, and autoproxy is off.')
      robin.say('w:hello')
      expect(await robin.asks('!why', 'multitude')).toBe('It was proxied, by tags.')
      expect(await robin.asks('w:only you', 'multitude')).toContain('!register')
    },
    PATIENCE_MS,
  )

  test(
    'where the bot may not speak, nothing is recorded',
    async () => {
      const robin = await register('robin')
      const count = () => read('select id from messages').length
      const before = count()
      otter.irc.raw(['MODE', '#den', '+mv', 'robin'])
      otter.say('now', '#den')
      await robin.hears('otter: now')
      robin.say('w:let me', '#den')
      expect(await robin.asks('!why')).toBe('The server does not let me speak in #den.')
      expect(count()).toBe(before)
      otter.irc.mode('#den', '-m')
    },
    PATIENCE_MS,
  )

  test(
    'the front is told and asked for',
    async () => {
      const robin = await register('robin')
      await robin.asks('!member Big Finch f:text')
      expect(await robin.asks('!who')).toBe('Nobody is fronting.')
      expect(await robin.asks('!switch big finch, Wren')).toBe('Fronting: Big Finch, Wren.')
      expect(await otter.asks('!who ROBIN')).toBe('Fronting: Big Finch, Wren.')
      expect(await otter.asks('!who nobody')).toBe('I see no nobody.')
      expect(await robin.asks('!who otter')).toBe('otter has no system.')
      const hidden = { privacy: { front_privacy: 'private' } }
      await askMultitude('PATCH /v2/systems/@me', robin.token, hidden)
      expect(await otter.asks('!who robin')).not.toContain('Wren')
      expect(await robin.asks('!who')).toBe('Fronting: Big Finch, Wren.')
      expect(await robin.asks('!switch Magpie')).toBe('There is no member Magpie.')
      expect(await robin.asks('!switch')).toBe('Nobody is fronting.')
    },
    PATIENCE_MS,
  )

  test(
    'autoproxy is set, latches, and is turned off by backslashes',
    async () => {
      const robin = await register('robin')
      expect(await robin.asks('!autoproxy')).toContain('!autoproxy latch')
      expect(await robin.asks('!autoproxy latch')).toBe('Autoproxy on this network: latch.')
      robin.say('w:first')
      robin.say('second')
      await otter.hears('multitude: <Wren> second')
      robin.say('\\\\\\')
      expect(await robin.asks('!why')).toBe('It was a command: autoproxy is off.')
      expect(await robin.asks('!autoproxy wren')).toBe('Autoproxy on this network: Wren.')
      robin.say('third')
      await otter.hears('multitude: <Wren> third')
      expect(await robin.asks('!autoproxy Magpie')).toBe('There is no member Magpie.')
    },
    PATIENCE_MS,
  )

  test(
    'another client that takes the nick is nobody; with a code, the first comes back',
    async () => {
      const robin = await register('robin')
      robin.say('w:it is me')
      await otter.hears('multitude: <Wren> it is me')
      await robin.leaves()

      const thief = await ircd.join('robin', '#lantern')
      const before = otter.heard.length
      thief.say('w:it is not')
      expect(await thief.asks('!why')).toBe(OFFER)
      expect(await heardSince(thief, before)).toEqual(['robin: w:it is not', 'robin: !why'])
      expect(await thief.asks('!switch Wren')).toBe(OFFER)
      expect(read('select * from accounts')).toEqual([])
      await thief.leaves()

      const again = await ircd.join('robin', '#lantern')
      const made = await askMultitude('POST /v2/systems/@me/link-code', robin.token)
      const { code } = (await made.json()) as { code: string }
      expect(await again.asks('!link WRONG')).toBe('System not found.')
      expect(await again.asks(`!link ${code}`)).toContain(NOT_FOR_LONG)
      again.say('w:me again')
      await otter.hears('multitude: <Wren> me again')
    },
    PATIENCE_MS,
  )

  test(
    'a person stays known under a new nick, but not after leaving the bot’s sight',
    async () => {
      const robin = await register('robin')
      robin.irc.changeNick('robin-away')
      robin.say('w:still me')
      await otter.hears('multitude: <Wren> still me')
      const thief = await ircd.join('robin', '#lantern')
      expect(await thief.asks('!switch Wren')).toBe(OFFER)
      await thief.leaves()
      robin.irc.part('#lantern')
      expect(await robin.asks('!switch Wren', '#den')).toBe('Fronting: Wren.')
      robin.irc.part('#den')
      robin.irc.join('#lantern')
      expect(await robin.asks('!switch Wren')).toBe(OFFER)
    },
    PATIENCE_MS,
  )

  test(
    'a services account is the same person on any connection, under any nick',
    async () => {
      const robin = await ircd.join('robin', '#lantern')
      robin.say('not yet logged in')
      expect(await robin.asks('!why')).toBe(OFFER)
      await services.logIn('robin', 'Robin')
      expect(await robin.asks('!register')).toMatch(/^System [a-z]{6} is made\.$/)
      await robin.asks('!member Wren w:text')
      await robin.leaves()

      const phone = await ircd.join('robins-phone', '#lantern')
      await services.logIn('robins-phone', 'Robin')
      phone.say('w:from my phone')
      await otter.hears('multitude: <Wren> from my phone')
      const thief = await ircd.join('robin', '#lantern')
      expect(await thief.asks('!switch Wren')).toBe(OFFER)
      expect(read('select id from accounts')).toEqual([{ id: 'irc:lantern/robin' }])
    },
    PATIENCE_MS,
  )

  test(
    'names cannot make the bot say anything else, and long lines are cut with the name on each',
    async () => {
      const robin = await register('robin')
      const members = await askMultitude('GET /v2/systems/@me/members', robin.token)
      const [wren] = (await members.json()) as { id: string }[]
      const display_name = 'Wr\r\nQUIT :en'
      await askMultitude(`PATCH /v2/members/${wren?.id}`, robin.token, { display_name })
      robin.say('w:hello')
      await otter.hears('multitude: <Wr QUIT :en> hello')

      await askMultitude(`PATCH /v2/members/${wren?.id}`, robin.token, { display_name: 'ねこ' })
      const long = `${'にゃあ'.repeat(44)} end`
      const before = otter.heard.length
      robin.irc.raw(['PRIVMSG', '#lantern', `w:${long}`])
      await robin.asks('!why')
      const lines = (await heardSince(robin, before)).filter((line) => line.startsWith('multi'))
      expect(lines.length).toBeGreaterThan(1)
      expect(lines.map((line) => line.replace('multitude: <ねこ> ', '')).join('')).toBe(long)
      await askMultitude(`PATCH /v2/members/${wren?.id}`, robin.token, {
        display_name: 'W'.repeat(61),
      })
      expect(await robin.asks('w:hello')).toContain('60')
    },
    PATIENCE_MS,
  )

  test(
    'when it is stopped, the bot forgets who it knew by sight, and takes its leave',
    async () => {
      await register('robin')
      expect(read('select id from accounts').length).toBeGreaterThan(0)
      bot.kill('SIGTERM')
      expect(await bot.exited).toBe(0)
      await otter.sees('multitude quits')
      const left = read<{ id: string }>('select id from accounts')
      expect(left.filter(({ id }) => id.includes('!'))).toEqual([])
    },
    PATIENCE_MS,
  )
})
