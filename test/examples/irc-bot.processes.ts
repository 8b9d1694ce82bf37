import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBot } from '../tools/operatorActions'
import { afterAll, beforeAll, describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'
import { startIrcv3 } from './ircv3'

// realIrcServer.ts tests the bot on a real server, which must be installed.
const SCRIPT = join(import.meta.dir, '../../examples/irc-bot.ts')
const OFFER = 'You have no system. Create one with: !register NAME'

const { app, ask, deps } = createTestApp({ PORT: '0' })
const MULTITUDE_URL = app.listen()
const MULTITUDE_BOT_KEY = await createBot(deps, 'irc', 'irc')
const asBot = { authorization: `Bot ${MULTITUDE_BOT_KEY}` }

function start(flags: string[], env = {}) {
  return Bun.spawn([process.execPath, SCRIPT, ...flags], {
    env: { MULTITUDE_URL, MULTITUDE_BOT_KEY, ...env },
    stdout: 'ignore',
    stderr: 'pipe',
  })
}

function startOn({ port }: { port: number }) {
  const address = ['--host', '127.0.0.1', '--port', `${port}`, '--plain']
  const bot = start([...address, '--network', 'lantern', '--channels', '#lantern'])
  afterAll(() => bot.kill('SIGKILL'))
}

describe('IRC bot on an IRCv3 server', () => {
  const server = startIrcv3()
  startOn(server)

  const robin = (text: string, id: string = crypto.randomUUID()) =>
    server.send(`@account=Robin;msgid=${id} :robin!r@host PRIVMSG #lantern :${text}`)
  const sendCommand = (text: string) => {
    robin(text)
    return server.waitForLine('NOTICE robin')
  }
  const getMessage = (id: string) =>
    ask(`GET /v2/messages/${encodeURIComponent(`irc:lantern/${id}`)}`, { headers: asBot })

  beforeAll(async () => {
    await server.isJoinedByBot()
    expect(await sendCommand('!register')).toMatch(/^NOTICE robin :Created system [a-z]{6}\.$/)
    expect(await sendCommand('!member Wren w:text')).toContain('Created member Wren.')
  })

  test('the IRC bot proxies with a relayed name and the IDs of the server', async () => {
    robin('w:hello there', 'first')
    expect(await server.waitForLine('RELAYMSG')).toBe('RELAYMSG #lantern Wren/robin :hello there')
    await sendCommand('!why')
    const { json } = await getMessage('first')
    const { id, original, sender } = json
    expect({ id, original, sender }).toEqual({
      id: 'irc:lantern/m1',
      original: 'irc:lantern/first',
      sender: 'irc:lantern/robin',
    })
    expect((await getMessage('m1')).json).toEqual(json)
  })

  test('the IRC bot redacts a deleted message', async () => {
    robin('w:oh no')
    await server.waitForLine('RELAYMSG')
    const response = sendCommand('!delete')
    const [, , id = ''] = (await server.waitForLine('REDACT #lantern')).split(' ')
    expect(await response).toBe('NOTICE robin :The message is deleted.')
    expect((await getMessage(id)).status).toBe(404)
  })

  test('the IRC bot says a text as a named member, whatever its tags', async () => {
    await sendCommand('!member Finch [text]')
    const response = sendCommand('!say wren: [hello]')
    expect(await server.waitForLine('RELAYMSG')).toBe('RELAYMSG #lantern Wren/robin hello')
    expect(await response).toBe('NOTICE robin :The message was proxied by as.')
    expect(await sendCommand('!say Nobody: hello')).toContain('There is no member Nobody.')
    expect(await sendCommand('!say hello')).toContain('Example, in a channel: !say Wren: hello')
  })

  test('the IRC bot proxies a line that arrives twice once', async () => {
    robin('w:once', 'twice')
    await server.waitForLine('RELAYMSG')
    robin('w:once', 'twice')
    expect(await sendCommand('!why')).toBe('NOTICE robin :The message was proxied already.')
  })

  test('the IRC bot puts the name before the text when the server refuses to relay', async () => {
    server.allowRelaying(false)
    robin('w:hello')
    await server.waitForLine('RELAYMSG')
    expect(await server.waitForLine('PRIVMSG')).toBe('PRIVMSG #lantern :<Wren> hello')
    server.allowRelaying(true)
  })

  test('the IRC bot uses the account tag of each line, not the nick', async () => {
    server.send(':robin!r@host PRIVMSG #lantern :!switch Wren')
    expect(await server.waitForLine('NOTICE robin')).toBe(`NOTICE robin :${OFFER}`)
    server.send('@account=Robin :otter!o@host PRIVMSG #lantern :!switch Wren')
    expect(await server.waitForLine('NOTICE otter')).toBe('NOTICE otter :Fronting: Wren.')
    expect(server.received.filter((line) => line.startsWith('WHOIS'))).toEqual([])
  })

  test('the IRC bot ignores history, bots, relayed lines, outsiders and messages to a part of the channel', async () => {
    const line = 'robin!r@host PRIVMSG #lantern :w:not this'
    server.send(':server BATCH +old chathistory #lantern')
    server.send(`@batch=old;account=Robin :${line}`)
    server.send(':server BATCH -old')
    server.send(`@bot;account=Robin :${line}`)
    server.send(`@draft/relaymsg=other;account=Robin :${line}`)
    server.send(`@account=Robin :${line.replace('#', '@#')}`)
    server.send(`@account=Robin :${line.replace('robin', 'outsider')}`)
    robin('w:but this')
    expect(await server.waitForLine('RELAYMSG')).toBe('RELAYMSG #lantern Wren/robin :but this')
  })

  test('the IRC bot replaces invalid characters in a relayed name', async () => {
    const headers = { ...asBot, 'x-system': 'irc:lantern/robin' }
    const { json } = await ask<{ id: string }[]>('GET /v2/systems/@me/members', { headers })
    const body = { display_name: 'W: r\r\nQUIT @en' }
    await ask(`PATCH /v2/members/${json[0]?.id}`, { headers, body })
    robin('w:hello')
    expect(await server.waitForLine('RELAYMSG')).toBe('RELAYMSG #lantern W_r_QUIT_en/robin hello')
  })
})

test('the IRC bot ignores a WHOIS response about another owner of the nick', async () => {
  const server = startIrcv3('')
  startOn(server)
  const account = 'lantern/magpie'
  await ask('POST /bot/systems', { headers: asBot, body: { account_id: account } })
  const headers = { ...asBot, 'x-system': `irc:${account}` }
  await ask('POST /v2/members', { headers, body: { name: 'Wren', proxy_tags: [{ prefix: 'w:' }] } })
  const isMagpie = (nick: string) => {
    server.send(`:server 311 multitude ${nick} m host * :m`)
    server.send(`:server 330 multitude ${nick} Magpie :is logged in as`)
    server.send(`:server 318 multitude ${nick} :End of WHOIS`)
  }
  await server.isJoinedByBot()

  server.send(':robin!r@host PRIVMSG #lantern :w:not Magpie')
  await server.waitForLine('WHOIS robin')
  server.send(':robin!r@host QUIT :bye')
  server.send(':otter!o@host NICK robin')
  isMagpie('robin')
  server.send(':robin!o@host PRIVMSG #lantern :w:yes, Magpie')
  await server.waitForLine('WHOIS robin')
  isMagpie('robin')
  expect(await server.waitForLine('PRIVMSG')).toBe('PRIVMSG #lantern :<Wren> yes, Magpie')
})

describe('errors of the IRC bot', () => {
  const target = ['--host', '127.0.0.1', '--channels', '#lantern']
  const cases: Record<string, [flags: string[], env: object, code: number, first: RegExp]> = {
    'no key': [target, { MULTITUDE_BOT_KEY: '' }, 2, /^A bot key is required\.$/],
    'a wrong key': [target, { MULTITUDE_BOT_KEY: 'wrong' }, 1, /does not know this bot key/],
    'no host': [target.slice(2), {}, 2, /^A host and channels are required\.$/],
    'an invalid port': [[...target, '--port', 'x'], {}, 2, /^The port must be a number\.$/],
    'a network with a slash': [[...target, '--network', 'a/b'], {}, 2, /one plain word/],
    'a server that does not answer': [
      [...target, '--url', 'http://127.0.0.1:9'],
      {},
      1,
      /^No server answers/,
    ],
    'an unknown flag': [['--nope'], {}, 2, /--nope/],
  }

  test.each(Object.entries(cases))(
    'the IRC bot reports %s before it connects',
    async (_, [flags, env, expected, first]) => {
      const bot = start(flags, env)
      const [err, code] = await Promise.all([bot.stderr.text(), bot.exited])
      expect(err.split('\n')[0]).toMatch(first)
      expect(code).toBe(expected)
      expect(err).not.toMatch(/^\s+at /m)
    },
  )

  test('the IRC bot reports a key of another platform without printing it', async () => {
    const key = await createBot(deps, 'discord')
    const bot = start(target, { MULTITUDE_BOT_KEY: key })
    const [err, code] = await Promise.all([bot.stderr.text(), bot.exited])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('--platform irc') })
    expect(err).not.toContain(key)
  })

  test('the IRC bot reports an IRC server that does not answer', async () => {
    const bot = start([...target, '--plain', '--port', '9'])
    const [err, code] = await Promise.all([bot.stderr.text(), bot.exited])
    expect({ code, err }).toEqual({ code: 1, err: 'The connection to 127.0.0.1 is lost.\n' })
  })
})

test('the IRC bot imports one package and nothing of the server', () => {
  const files = ['irc-bot.ts', 'irc/people.ts', 'irc/messages.ts', 'multitude.ts']
  const imports = files.flatMap((file) => {
    const source = readFileSync(join(SCRIPT, '..', file), 'utf8')
    return [...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from)
  })
  expect(new Set(imports)).toEqual(
    new Set(['node:util', 'irc-framework', './irc/messages', './irc/people', './multitude']),
  )
})
