import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBot } from '../operatorActions'
import { createTestApp } from '../testApp'
import { startIrcv3 } from './ircv3'

// What it does on a real server is held to in realNetwork.ts, which needs that server.
const SCRIPT = join(import.meta.dir, '../../examples/irc-bot.ts')
const OFFER = 'You have no system. Make one with: !register NAME'

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
  const place = ['--host', '127.0.0.1', '--port', `${port}`, '--plain']
  const bot = start([...place, '--network', 'lantern', '--channels', '#lantern'])
  afterAll(() => bot.kill('SIGKILL'))
}

describe('on a server that offers more than old IRC', () => {
  const server = startIrcv3()
  startOn(server)

  const robin = (text: string, id: string = crypto.randomUUID()) =>
    server.send(`@account=Robin;msgid=${id} :robin!r@host PRIVMSG #lantern :${text}`)
  const asks = (text: string) => {
    robin(text)
    return server.hears('NOTICE robin')
  }
  const look = (id: string) =>
    ask(`GET /v2/messages/${encodeURIComponent(`irc:lantern/${id}`)}`, { headers: asBot })

  beforeAll(async () => {
    await server.isJoinedByBot()
    expect(await asks('!register')).toMatch(/^NOTICE robin :System [a-z]{6} is made\.$/)
    expect(await asks('!member Wren w:text')).toContain('Wren is made.')
  }, 60_000)

  test('a member speaks under a relayed name, and the IDs are the server’s', async () => {
    robin('w:hello there', 'first')
    expect(await server.hears('RELAYMSG')).toBe('RELAYMSG #lantern Wren/robin :hello there')
    await asks('!why')
    const { json } = await look('first')
    const { id, original, sender } = json
    expect({ id, original, sender }).toEqual({
      id: 'irc:lantern/m1',
      original: 'irc:lantern/first',
      sender: 'irc:lantern/robin',
    })
    expect((await look('m1')).json).toEqual(json)
  })

  test('what is deleted goes from the channel too', async () => {
    robin('w:oh no')
    await server.hears('RELAYMSG')
    const answer = asks('!delete')
    const [, , id = ''] = (await server.hears('REDACT #lantern')).split(' ')
    expect(await answer).toBe('NOTICE robin :It is gone.')
    expect((await look(id)).status).toBe(404)
  })

  test('where the server refuses to relay, the name stands in front', async () => {
    server.allowRelaying(false)
    robin('w:hello')
    await server.hears('RELAYMSG')
    expect(await server.hears('PRIVMSG')).toBe('PRIVMSG #lantern :<Wren> hello')
    server.allowRelaying(true)
  })

  test('the account is what the server says with each line, whatever the nick', async () => {
    server.send(':robin!r@host PRIVMSG #lantern :!switch Wren')
    expect(await server.hears('NOTICE robin')).toBe(`NOTICE robin :${OFFER}`)
    server.send('@account=Robin :otter!o@host PRIVMSG #lantern :!switch Wren')
    expect(await server.hears('NOTICE otter')).toBe('NOTICE otter :Fronting: Wren.')
    expect(server.said.filter((line) => line.startsWith('WHOIS'))).toEqual([])
  })

  test('what is not said now, by a person, to the whole channel is left alone', async () => {
    const line = 'robin!r@host PRIVMSG #lantern :w:not this'
    server.send(':server BATCH +old chathistory #lantern')
    server.send(`@batch=old;account=Robin :${line}`)
    server.send(':server BATCH -old')
    server.send(`@bot;account=Robin :${line}`)
    server.send(`@draft/relaymsg=other;account=Robin :${line}`)
    server.send(`@account=Robin :${line.replace('#', '@#')}`)
    server.send(`@account=Robin :${line.replace('robin', 'outsider')}`)
    robin('w:but this')
    expect(await server.hears('RELAYMSG')).toBe('RELAYMSG #lantern Wren/robin :but this')
  })

  test('a name is made fit to be relayed', async () => {
    const headers = { ...asBot, 'x-system': 'irc:lantern/robin' }
    const { json } = await ask<{ id: string }[]>('GET /v2/systems/@me/members', { headers })
    const body = { display_name: 'W: r\r\nQUIT @en' }
    await ask(`PATCH /v2/members/${json[0]?.id}`, { headers, body })
    robin('w:hello')
    expect(await server.hears('RELAYMSG')).toBe('RELAYMSG #lantern W_r_QUIT_en/robin hello')
  })
})

test('an answer about whoever took the nick meanwhile is not about who spoke', async () => {
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
  await server.hears('WHOIS robin')
  server.send(':robin!r@host QUIT :bye')
  server.send(':otter!o@host NICK robin')
  isMagpie('robin')
  server.send(':robin!o@host PRIVMSG #lantern :w:yes, Magpie')
  await server.hears('WHOIS robin')
  isMagpie('robin')
  expect(await server.hears('PRIVMSG')).toBe('PRIVMSG #lantern :<Wren> yes, Magpie')
}, 60_000)

describe('what is wrong is said before it connects', () => {
  const there = ['--host', '127.0.0.1', '--channels', '#lantern']
  const cases: Record<string, [flags: string[], env: object, code: number, first: RegExp]> = {
    'no key': [there, { MULTITUDE_BOT_KEY: '' }, 2, /^A bot key is needed\.$/],
    'a wrong key': [there, { MULTITUDE_BOT_KEY: 'wrong' }, 1, /does not know this bot key/],
    'no host': [there.slice(2), {}, 2, /^A host and channels are needed\.$/],
    'a port that is none': [[...there, '--port', 'x'], {}, 2, /^The port must be a number\.$/],
    'a network that could be two': [[...there, '--network', 'a/b'], {}, 2, /one plain word/],
    'no Multitude': [[...there, '--url', 'http://127.0.0.1:9'], {}, 1, /^No server answers/],
    'a flag that does not exist': [['--nope'], {}, 2, /--nope/],
  }

  test.each(Object.entries(cases))(
    '%s',
    async (_, [flags, env, expected, first]) => {
      const bot = start(flags, env)
      const [err, code] = await Promise.all([bot.stderr.text(), bot.exited])
      expect(err.split('\n')[0]).toMatch(first)
      expect(code).toBe(expected)
      expect(err).not.toMatch(/^\s+at /m)
    },
    30_000,
  )

  test('a key of another platform', async () => {
    const key = await createBot(deps, 'discord')
    const bot = start(there, { MULTITUDE_BOT_KEY: key })
    const [err, code] = await Promise.all([bot.stderr.text(), bot.exited])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('--platform irc') })
    expect(err).not.toContain(key)
  })

  test('an IRC server that is not there', async () => {
    const bot = start([...there, '--plain', '--port', '9'])
    const [err, code] = await Promise.all([bot.stderr.text(), bot.exited])
    expect({ code, err }).toEqual({ code: 1, err: 'The connection to 127.0.0.1 is lost.\n' })
  })
})

test('the bot needs one package and nothing of the server', () => {
  const files = ['irc-bot.ts', 'irc/people.ts', 'irc/messages.ts', 'multitude.ts']
  const imports = files.flatMap((file) => {
    const source = readFileSync(join(SCRIPT, '..', file), 'utf8')
    return [...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from)
  })
  expect(new Set(imports)).toEqual(
    new Set(['node:util', 'irc-framework', './irc/messages', './irc/people', './multitude']),
  )
})
