/**
 * A bot for IRC: hears a line, asks Multitude what becomes of it, says what it is told to as
 * `<Name> text`, reports the ID. It runs with Bun and the package irc-framework:
 *
 *     multitude bot create --name irc --platform irc
 *     MULTITUDE_BOT_KEY=… bun examples/irc-bot.ts --host irc.example.org --channels '#lantern'
 */
import { parseArgs } from 'node:util'
import { Client, type Heard } from 'irc-framework'
import { createSpeaker, oneLine } from './irc/messages'
import { type Person, watchPeople } from './irc/people'
import { connectMultitude, type Decision, displayName, explain, type Member } from './multitude'

const USAGE = `usage: bun examples/irc-bot.ts --host HOST --channels '#ONE,#TWO' [--network NAME] [--nick NICK]
         [--port PORT] [--plain] [--url URL]
--network is part of every ID and must stay as it is (default: the host); --plain is without TLS
MULTITUDE_BOT_KEY is the bot key; IRC_PASSWORD the password of the bot's own services account, if any
A bot key is made with: multitude bot create --name irc --platform irc`

const HELP = [
  '!register NAME: make a system',
  '!link CODE: join one from elsewhere',
  '!member NAME TAGS: make a member, such as !member Wren [text]',
  '!switch NAME, NAME: who is fronting; !who NICK: asks',
  '!autoproxy off, front, latch or NAME',
  '!why: was my last line not proxied?',
  '!delete: forget what was proxied last here',
].join(' | ')

const OFFER = 'You have no system. Make one with: !register NAME'
const NOT_FOR_LONG =
  'You are not logged in to services, so I know you only until you or I disconnect or leave.'

/** A line has no room for longer ones. */
const LIMITS = { content: 500, name: 60 }

/** Who gave a command, and where; without a channel, to the bot alone. */
type Asker = { person: Person; account: string; channel: string | null }

const { url, key, host, port, nick, password, plain, network, channels } = readSettings()
const multitude = connectMultitude(url, key, 'irc')
const irc = new Client()
const speaker = createSpeaker(irc)
/** The last message of each system in each channel. */
const lastSaid = new Map<string, { id: string; msgid: string | null }>()

// Several networks may use one platform, so every ID begins with its network.
const idOf = (name: string) => `${network}/${name}`

const people = watchPeople(irc, network, (person) => {
  // Should this fail, the link stays, but nobody will ever have that ID again.
  const path = `DELETE /bot/accounts/${encodeURIComponent(person.session)}`
  if (person.isLinked) inTurn(() => multitude.ask(path))
})

// One after the other, in the order they were heard: latches depend on it.
let turn: Promise<unknown> = Promise.resolve()
function inTurn(work: () => Promise<unknown>): void {
  turn = turn.then(work).catch(({ message }: Error) => console.error(message))
}

irc.on('privmsg', (event) => {
  const { target, message, group, batch, tags } = event
  // Not the bot itself, nor other bots, nor the past played again, nor what only some shall read.
  const isOwn = irc.caseCompare(event.nick, irc.user.nick)
  if (isOwn || 'draft/relaymsg' in tags || 'bot' in tags || batch || group) return
  const [, name = '', rest = ''] = /^!(\w+)\s*(.*)$/.exec(message) ?? []
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const speaking = people.recognize(event, command !== undefined)
  if (!speaking) return
  const { person } = speaking
  const channel = irc.caseCompare(target, irc.user.nick) ? null : irc.caseLower(target)
  inTurn(async () => {
    const asker = { person, channel, account: await speaking.identify() }
    if (command) return tell(person, await command(asker, rest.trim()).catch(messageOf))
    // What is said to the bot alone is never proxied.
    if (channel === null) return tell(person, HELP)
    await hear(asker, channel, event).catch((failure: Error) => {
      person.why = failure.message
      throw failure
    })
  })
})

async function hear({ person, account }: Asker, channel: string, event: Heard): Promise<void> {
  const at = new Date(event.time ?? Date.now()).toISOString()
  const place = { account_id: account, guild_id: network, channel_id: idOf(channel) }
  const line = { ...place, content: event.message, limits: LIMITS, at }
  const decision = await multitude.ask<Decision>('POST /bot/proxy', line)
  if (decision.action !== 'proxy') {
    person.why = explain(decision, OFFER)
    if (decision.action === 'refuse' && decision.notify) tell(person, person.why)
    return
  }
  const { message, member, system } = decision
  const { name, content } = message
  const { msgid, isRefused } = await speaker.sayAs(name, channel, content, person.nick)
  if (isRefused) throw new Error(`The server does not let me speak in ${channel}.`)
  person.why = `It was proxied, by ${decision.matched.by}.`
  const id = idOf(msgid ?? crypto.randomUUID())
  lastSaid.set(`${channel} ${system}`, { id, msgid })
  await multitude.record({
    id,
    original: idOf(event.tags.msgid ?? crypto.randomUUID()),
    sender: account,
    channel: idOf(channel),
    guild: network,
    member: member.uuid,
    timestamp: at,
  })
}

const commands: Record<string, (asker: Asker, rest: string) => Promise<string>> = {
  help: async () => HELP,
  why: async ({ person }) => person.why,
  register: async ({ person, account }, name) => {
    const body = { account_id: account, ...(name && { name }) }
    type Made = { system: { id: string }; token: string }
    const { system, token } = await multitude.ask<Made>('POST /bot/systems', body)
    if (account !== person.session) return `System ${system.id} is made.`
    person.isLinked = true
    return `System ${system.id} is made. ${NOT_FOR_LONG} To come back to it, !link a code made with its token, shown this once: ${token}`
  },
  link: async ({ person, account }, code) => {
    const body = { account_id: account, code }
    const { system } = await multitude.ask<{ system: string }>('POST /bot/link', body)
    if (account !== person.session) return `You are in system ${system}.`
    person.isLinked = true
    return `You are in system ${system}. ${NOT_FOR_LONG}`
  },
  member: async ({ account }, rest) => {
    const [, name, prefix, suffix] = /^(.+) (\S*)text(\S*)$/.exec(rest) ?? []
    if (name === undefined) return 'Such as: !member Wren [text]'
    const body = { name, proxy_tags: [{ prefix, suffix }] }
    // With a system named, a bot may use all of version 2 for it.
    await multitude.ask('POST /v2/members', body, await needSystem(account))
    return `${name} is made.`
  },
  switch: async ({ account }, rest) => {
    const system = await needSystem(account)
    const names = rest.split(',').flatMap((name) => name.trim() || [])
    const members = await multitude.findMembers(system, names)
    const body = { members: members.map(({ id }) => id) }
    await multitude.ask('POST /v2/systems/@me/switches', body, system)
    return tellFront(members)
  },
  who: async ({ person, account }, nick) => {
    const whom = nick === '' ? person : people.find(nick)
    if (!whom) return `I see no ${nick}.`
    const isOwn = whom === person
    const system = isOwn
      ? await needSystem(account)
      : await multitude.findSystem(await people.identify(whom))
    if (system === null) return `${nick} has no system.`
    // About others the bot asks for nobody, and hears what everybody may.
    const path = `GET /v2/systems/${system}/fronters`
    type Front = { members: Member[] } | null
    const front = await multitude.ask<Front>(path, undefined, isOwn ? system : undefined)
    return tellFront(front?.members ?? [])
  },
  autoproxy: async ({ account }, wanted) => {
    if (wanted === '') return 'Such as: !autoproxy latch'
    const set = await multitude.setAutoproxy(await needSystem(account), network, wanted)
    return `Autoproxy on this network: ${set}.`
  },
  delete: async ({ account, channel }) => {
    const place = `${channel} ${await needSystem(account)}`
    const said = lastSaid.get(place)
    if (!channel || !said) return 'I remember no message of your system here.'
    await multitude.forgetMessage(said.id)
    lastSaid.delete(place)
    const isUnsaid = speaker.unsay(channel, said.msgid)
    return isUnsaid ? 'It is gone.' : 'Its record is gone. What was read on IRC stays read.'
  },
}

async function needSystem(account: string): Promise<string> {
  const system = await multitude.findSystem(account)
  if (system === null) throw new Error(OFFER)
  return system
}

function tellFront(members: Member[]): string {
  return members.length === 0
    ? 'Nobody is fronting.'
    : `Fronting: ${members.map(displayName).join(', ')}.`
}

/** Privately, as a notice, which no bot answers; the nick of who is gone may be somebody else's. */
function tell(person: Person, text: string): void {
  if (people.isHere(person)) irc.notice(person.nick, oneLine(text))
}

function messageOf({ message }: Error): string {
  return message
}

function readSettings() {
  const { env } = process
  const setting = (value = '', usual = '') => ({ type: 'string', default: value || usual }) as const
  try {
    const { values } = parseArgs({
      options: {
        url: setting(env.MULTITUDE_URL, 'http://127.0.0.1:8080'),
        host: setting(env.IRC_HOST),
        port: setting(env.IRC_PORT),
        nick: setting(env.IRC_NICK, 'multitude'),
        channels: setting(env.IRC_CHANNELS),
        network: setting(env.IRC_NETWORK),
        plain: { type: 'boolean', default: false },
      },
    })
    const { MULTITUDE_BOT_KEY: key = '', IRC_PASSWORD: password } = env
    const { host, channels, plain } = values
    const network = values.network || host
    const port = Number(values.port || (plain ? 6667 : 6697))
    if (key === '') throw new Error('A bot key is needed.')
    if (host === '' || channels === '') throw new Error('A host and channels are needed.')
    // With a slash in it, the names of two networks could make one ID.
    if (!/^[\w.:-]{1,64}$/.test(network)) throw new Error('The network must be one plain word.')
    if (!(port > 0 && port < 65_536)) throw new Error('The port must be a number.')
    return { ...values, key, password, network, port, channels: channels.split(',') }
  } catch (failure) {
    return fail(`${messageOf(failure as Error)}\n${USAGE}`, 2)
  }
}

function fail(message: string, code = 1): never {
  console.error(message)
  process.exit(code)
}

irc.on('registered', () => {
  for (const channel of channels) irc.join(channel)
})
irc.on('nick in use', ({ nick }) => irc.changeNick(`${nick}_`))
irc.on('irc error', ({ error, reason = '' }) => console.error(`IRC: ${error} ${reason}`))
irc.on('close', async () => {
  await turn
  if (isLeaving) process.exit()
  fail(`The connection to ${host} is lost.`)
})

let isLeaving = false
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    isLeaving = true
    irc.quit('Goodbye')
    // Before it is connected, nothing closes.
    setTimeout(process.exit, 5_000).unref()
  })

// A wrong key, or one of another platform, shall be told now and not at the first message.
const guild = encodeURIComponent(network)
await multitude
  .ask(`GET /bot/guilds/${guild}`)
  .catch(({ message }: Error) => fail(`${message}\n${USAGE}`))
irc.requestCap(['draft/relaymsg', 'draft/message-redaction'])
irc.connect({
  host,
  port,
  tls: !plain,
  rejectUnauthorized: true,
  nick,
  username: 'multitude',
  gecos: 'Speaks for plural systems: !help',
  enable_echomessage: true,
  auto_reconnect_max_retries: 1_000,
  ...(password && { account: { account: nick, password } }),
})
