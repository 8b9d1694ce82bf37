import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { afterAll, afterEach, describe, expect, test } from '../tools/test'
import { ngircd, startNgircd, waitFor } from './ngircd'

const SCRIPT = join(import.meta.dir, '../../examples/irc-bot.ts')
const OFFER = 'You have no system. Create one with: !register NAME'
const TEMPORARY = 'so I know you only until you or I disconnect or leave'

if (!ngircd) test.skip('SKIPPED: ngircd is not installed (a package of Debian)', () => {})

describe('IRC bot on a real IRC server', async () => {
  if (!ngircd) return
  const cwd = emptyFolder('irc-')
  const { runJson, startServer } = commandLine()
  const server = await startServer([], { cwd })
  const create = ['bot', 'create', '--name', 'irc', '--platform', 'irc']
  const { key } = await runJson<{ key: string }>(create, { cwd })
  const ircd = await startNgircd()
  const services = await ircd.linkServices()
  // The first client in a channel becomes its operator.
  const otter = await ircd.join('otter', '#lantern', '#den')
  const bot = startBot()
  afterEach(() => ircd.disconnectOthers(otter))
  await otter.waitForEvent('multitude joins #den')

  function startBot() {
    const address = ['--host', '127.0.0.1', '--port', `${ircd.port}`, '--plain']
    const args = [...address, '--network', 'lantern', '--channels', '#lantern,#den']
    const child = Bun.spawn([process.execPath, SCRIPT, ...args], {
      env: { MULTITUDE_URL: server.address, MULTITUDE_BOT_KEY: key },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    afterAll(() => child.kill('SIGKILL'))
    return child
  }

  /** Connects a client and registers a system with the member Wren. */
  async function register(nick: string) {
    const client = await ircd.join(nick, '#lantern', '#den')
    const response = await client.sendCommand('!register Lantern Hill')
    const [, token = ''] = / (\S{64})$/.exec(response) ?? []
    expect(await client.sendCommand('!member Wren w:text')).toBe('Created member Wren.')
    return { ...client, response, token }
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

  /** Returns the messages that otter received until a final line, which is sent after all others. */
  async function messagesSince(speaker: { say(text: string): void }, since: number) {
    const end = crypto.randomUUID()
    speaker.say(end)
    await waitFor(() => otter.messages.some((line) => line.endsWith(end)))
    return otter.messages.slice(since, -1)
  }

  test('the IRC bot proxies a line with tags under the member’s name and records it', async () => {
    const robin = await register('robin')
    expect(robin.response).toMatch(/^Created system [a-z]{6}\. You are not logged in to services, /)
    expect(robin.response).toContain(TEMPORARY)
    robin.say('w:hello there')
    await otter.waitForMessage('multitude: <Wren> hello there')
    await robin.sendCommand('!why')
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
    expect(await otter.sendCommand('!delete')).toBe(OFFER)
    expect(await robin.sendCommand('!delete', '#den')).toContain('I know no recent message')
    expect(await robin.sendCommand('!delete')).toBe(
      'The record is deleted, but the message stays on IRC.',
    )
    expect((await askMultitude(path, robin.token)).status).toBe(404)
  })

  test('the IRC bot explains privately why a line was not proxied', async () => {
    const robin = await register('robin')
    otter.say('w:hello')
    expect(await otter.sendCommand('!why')).toBe(OFFER)
    robin.say('hello')
    expect(await robin.sendCommand('!why')).toBe('No tags matched, and autoproxy is off.')
    robin.say('w:hello')
    expect(await robin.sendCommand('!why', 'multitude')).toBe('The message was proxied by tags.')
    expect(await robin.sendCommand('w:only you', 'multitude')).toContain('!register')
  })

  test('the IRC bot records nothing where it may not send messages', async () => {
    const robin = await register('robin')
    const count = () => read('select id from messages').length
    const before = count()
    otter.irc.raw(['MODE', '#den', '+mv', 'robin'])
    otter.say('now', '#den')
    await robin.waitForMessage('otter: now')
    robin.say('w:let me', '#den')
    expect(await robin.sendCommand('!why')).toBe(
      'The server does not let me send messages to #den.',
    )
    expect(count()).toBe(before)
    otter.irc.mode('#den', '-m')
  })

  test('the IRC bot logs switches and shows fronters', async () => {
    const robin = await register('robin')
    await robin.sendCommand('!member Big Finch f:text')
    expect(await robin.sendCommand('!who')).toBe('Nobody is fronting.')
    expect(await robin.sendCommand('!switch big finch, Wren')).toBe('Fronting: Big Finch, Wren.')
    expect(await otter.sendCommand('!who ROBIN')).toBe('Fronting: Big Finch, Wren.')
    expect(await otter.sendCommand('!who nobody')).toBe('nobody is not in my channels.')
    expect(await robin.sendCommand('!who otter')).toBe('otter has no system.')
    const hidden = { privacy: { front_privacy: 'private' } }
    await askMultitude('PATCH /v2/systems/@me', robin.token, hidden)
    expect(await otter.sendCommand('!who robin')).not.toContain('Wren')
    expect(await robin.sendCommand('!who')).toBe('Fronting: Big Finch, Wren.')
    expect(await robin.sendCommand('!switch Magpie')).toBe('There is no member Magpie.')
    expect(await robin.sendCommand('!switch')).toBe('Nobody is fronting.')
  })

  test('the IRC bot sets autoproxy, latches, and turns autoproxy off by backslashes', async () => {
    const robin = await register('robin')
    expect(await robin.sendCommand('!autoproxy')).toContain('!autoproxy latch')
    expect(await robin.sendCommand('!autoproxy latch')).toBe('Autoproxy on this network: latch.')
    robin.say('w:first')
    robin.say('second')
    await otter.waitForMessage('multitude: <Wren> second')
    robin.say('\\\\\\')
    expect(await robin.sendCommand('!why')).toBe('This was a command: autoproxy is off.')
    expect(await robin.sendCommand('!autoproxy wren')).toBe('Autoproxy on this network: Wren.')
    robin.say('third')
    await otter.waitForMessage('multitude: <Wren> third')
    expect(await robin.sendCommand('!autoproxy Magpie')).toBe('There is no member Magpie.')
  })

  test('the IRC bot does not recognize another client with the nick, and links the first again by a code', async () => {
    const robin = await register('robin')
    robin.say('w:it is me')
    await otter.waitForMessage('multitude: <Wren> it is me')
    await robin.quit()

    const impostor = await ircd.join('robin', '#lantern')
    const before = otter.messages.length
    impostor.say('w:it is not')
    expect(await impostor.sendCommand('!why')).toBe(OFFER)
    expect(await messagesSince(impostor, before)).toEqual(['robin: w:it is not', 'robin: !why'])
    expect(await impostor.sendCommand('!switch Wren')).toBe(OFFER)
    expect(read('select * from accounts')).toEqual([])
    await impostor.quit()

    const again = await ircd.join('robin', '#lantern')
    const created = await askMultitude('POST /v2/systems/@me/link-code', robin.token)
    const { code } = (await created.json()) as { code: string }
    expect(await again.sendCommand('!link WRONG')).toBe('System not found.')
    expect(await again.sendCommand(`!link ${code}`)).toContain(TEMPORARY)
    again.say('w:me again')
    await otter.waitForMessage('multitude: <Wren> me again')
  })

  test('the IRC bot recognizes a person under a new nick, but not after they left all its channels', async () => {
    const robin = await register('robin')
    robin.irc.changeNick('robin-away')
    robin.say('w:still me')
    await otter.waitForMessage('multitude: <Wren> still me')
    const impostor = await ircd.join('robin', '#lantern')
    expect(await impostor.sendCommand('!switch Wren')).toBe(OFFER)
    await impostor.quit()
    robin.irc.part('#lantern')
    expect(await robin.sendCommand('!switch Wren', '#den')).toBe('Fronting: Wren.')
    robin.irc.part('#den')
    robin.irc.join('#lantern')
    expect(await robin.sendCommand('!switch Wren')).toBe(OFFER)
  })

  test('the IRC bot recognizes a services account on any connection and under any nick', async () => {
    const robin = await ircd.join('robin', '#lantern')
    robin.say('not yet logged in')
    expect(await robin.sendCommand('!why')).toBe(OFFER)
    await services.logIn('robin', 'Robin')
    expect(await robin.sendCommand('!register')).toMatch(/^Created system [a-z]{6}\.$/)
    await robin.sendCommand('!member Wren w:text')
    await robin.quit()

    const phone = await ircd.join('robins-phone', '#lantern')
    await services.logIn('robins-phone', 'Robin')
    phone.say('w:from my phone')
    await otter.waitForMessage('multitude: <Wren> from my phone')
    const impostor = await ircd.join('robin', '#lantern')
    expect(await impostor.sendCommand('!switch Wren')).toBe(OFFER)
    expect(read('select id from accounts')).toEqual([{ id: 'irc:lantern/robin' }])
  })

  test('the IRC bot removes line breaks from names, and splits long lines with the name on each', async () => {
    const robin = await register('robin')
    const members = await askMultitude('GET /v2/systems/@me/members', robin.token)
    const [wren] = (await members.json()) as { id: string }[]
    const display_name = 'Wr\r\nQUIT :en'
    await askMultitude(`PATCH /v2/members/${wren?.id}`, robin.token, { display_name })
    robin.say('w:hello')
    await otter.waitForMessage('multitude: <Wr QUIT :en> hello')

    await askMultitude(`PATCH /v2/members/${wren?.id}`, robin.token, { display_name: 'ねこ' })
    const long = `${'にゃあ'.repeat(44)} end`
    const before = otter.messages.length
    robin.irc.raw(['PRIVMSG', '#lantern', `w:${long}`])
    await robin.sendCommand('!why')
    const lines = (await messagesSince(robin, before)).filter((line) => line.startsWith('multi'))
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.map((line) => line.replace('multitude: <ねこ> ', '')).join('')).toBe(long)
    await askMultitude(`PATCH /v2/members/${wren?.id}`, robin.token, {
      display_name: 'W'.repeat(61),
    })
    expect(await robin.sendCommand('w:hello')).toContain('60')
  })

  test('the IRC bot unlinks temporary accounts and quits when it is stopped', async () => {
    await register('robin')
    expect(read('select id from accounts').length).toBeGreaterThan(0)
    bot.kill('SIGTERM')
    expect(await bot.exited).toBe(0)
    await otter.waitForEvent('multitude quits')
    const remaining = read<{ id: string }>('select id from accounts')
    expect(remaining.filter(({ id }) => id.includes('!'))).toEqual([])
  })
})
