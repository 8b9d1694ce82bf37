/**
 * A bot for IRC: receives a line, asks Multitude for a decision, sends the proxied message as
 * `<Name> text` and records its ID. It runs with Bun and the package irc-framework:
 *
 *     multitude bot create --name irc --platform irc
 *     MULTITUDE_BOT_KEY=… bun examples/irc-bot.ts --host irc.example.org --channels '#lantern'
 */
import { parseArgs } from 'node:util'
import { Client, type Message } from 'irc-framework'
import { createMessenger, oneLine } from './irc/messages'
import { type Person, watchPeople } from './irc/people'
import { connectMultitude, type Decision, displayName, explain, type Member } from './multitude'

const USAGE = `usage: bun examples/irc-bot.ts --host HOST --channels '#ONE,#TWO' [--network NAME] [--nick NICK]
         [--port PORT] [--plain] [--url URL]
--network is part of every ID and must not change (default: the host); --plain disables TLS
MULTITUDE_BOT_KEY is the bot key; IRC_PASSWORD is the password of the bot's services account, if any
Create a bot key with: multitude bot create --name irc --platform irc`

const HELP = [
  '!register NAME: create a system',
  '!link CODE: link an existing system',
  '!member NAME TAGS: create a member, for example !member Wren [text]',
  '!switch NAME, NAME: log a switch; !who NICK: show the fronters',
  '!autoproxy off, front, latch or NAME: set autoproxy',
  '!why: explain why your last line was not proxied',
  '!say NAME: TEXT: send a text as a member, without tags',
  '!delete: delete your last proxied message here',
].join(' | ')

const OFFER = 'You have no system. Create one with: !register NAME'
const TEMPORARY =
  'You are not logged in to services, so I know you only until you or I disconnect or leave.'

/** Limits of an IRC line. */
const LIMITS = { content: 500, name: 60 }

/** Sender of a line, and its channel; null for a private message to the bot. */
type Sender = { person: Person; account: string; channel: string | null }

const { url, key, host, port, nick, password, plain, network, channels } = readSettings()
const multitude = connectMultitude(url, key, 'irc')
const irc = new Client()
const messenger = createMessenger(irc)
// Several networks share the platform "irc", so every ID begins with its network.
const idOf = (name: string) => `${network}/${name}`

const people = watchPeople(irc, network, (person) => {
  // If this fails the link remains, which is harmless because the ID is never reused.
  const path = `DELETE /bot/accounts/${encodeURIComponent(person.session)}`
  if (person.isLinked) enqueue(() => multitude.ask(path))
})

// Handles lines one by one in the order of arrival, because latches depend on it.
let queue: Promise<unknown> = Promise.resolve()
function enqueue(work: () => Promise<unknown>): void {
  queue = queue.then(work).catch(({ message }: Error) => console.error(message))
}

irc.on('privmsg', (event) => {
  const { target, message, group, batch, tags } = event
  // Ignore the bot itself, other bots, replayed history and messages to a part of the channel.
  const isOwn = irc.caseCompare(event.nick, irc.user.nick)
  if (isOwn || 'draft/relaymsg' in tags || 'bot' in tags || batch || group) return
  const [, name = '', rest = ''] = /^!(\w+)\s*(.*)$/.exec(message) ?? []
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const recognized = people.recognize(event, command !== undefined)
  if (!recognized) return
  const { person } = recognized
  const channel = irc.caseCompare(target, irc.user.nick) ? null : irc.caseLower(target)
  enqueue(async () => {
    const sender = { person, channel, account: await recognized.identify() }
    if (command) return notify(person, await command(sender, rest.trim()).catch(messageOf))
    // Private messages to the bot are never proxied.
    if (channel === null) return notify(person, HELP)
    await handleMessage(sender, channel, lineOf(event)).catch((failure: Error) => {
      person.why = failure.message
      throw failure
    })
  })
})

/** Text to proxy. */
type Line = { content: string; at: string; msgid: string | null; as?: string }

function lineOf({ message, time, tags }: Message): Line {
  const at = new Date(time ?? Date.now()).toISOString()
  return { content: message, at, msgid: tags.msgid ?? null }
}

async function handleMessage(
  { person, account }: Sender,
  channel: string,
  { content, at, msgid, as }: Line,
): Promise<void> {
  const original = idOf(msgid ?? crypto.randomUUID())
  const ids = { account_id: account, guild_id: network, channel_id: idOf(channel), original }
  const line = { ...ids, content, limits: LIMITS, at, ...(as && { as }) }
  const decision = await multitude.ask<Decision>('POST /bot/proxy', line)
  if (decision.action !== 'proxy') {
    person.why = explain(decision, OFFER)
    if (decision.action === 'refuse' && decision.notify) notify(person, person.why)
    return
  }
  const { message, member } = decision
  const sent = await messenger.sendAs(message.name, channel, message.content, person.nick)
  if (sent.isRefused) throw new Error(`The server does not let me send messages to ${channel}.`)
  person.why = `The message was proxied by ${decision.matched.by}.`
  await multitude.record({
    id: idOf(sent.msgid ?? crypto.randomUUID()),
    original,
    sender: account,
    channel: idOf(channel),
    guild: network,
    member: member.uuid,
    timestamp: at,
  })
}

const commands: Record<string, (sender: Sender, rest: string) => Promise<string>> = {
  help: async () => HELP,
  why: async ({ person }) => person.why,
  register: async ({ person, account }, name) => {
    const body = { account_id: account, ...(name && { name }) }
    type Created = { system: { id: string }; token: string }
    const { system, token } = await multitude.ask<Created>('POST /bot/systems', body)
    if (account !== person.session) return `Created system ${system.id}.`
    person.isLinked = true
    return `Created system ${system.id}. ${TEMPORARY} To use it again later, !link a code created with its token, shown only once: ${token}`
  },
  link: async ({ person, account }, code) => {
    const body = { account_id: account, code }
    const { system } = await multitude.ask<{ system: string }>('POST /bot/link', body)
    if (account !== person.session) return `You are linked to system ${system}.`
    person.isLinked = true
    return `You are linked to system ${system}. ${TEMPORARY}`
  },
  member: async ({ account }, rest) => {
    const [, name, prefix, suffix] = /^(.+) (\S*)text(\S*)$/.exec(rest) ?? []
    if (name === undefined) return 'Example: !member Wren [text]'
    const body = { name, proxy_tags: [{ prefix, suffix }] }
    // With X-System, a bot can use all of version 2 as this system.
    await multitude.ask('POST /v2/members', body, await requireSystem(account))
    return `Created member ${name}.`
  },
  switch: async ({ account }, rest) => {
    const system = await requireSystem(account)
    const names = rest.split(',').flatMap((name) => name.trim() || [])
    const members = await multitude.findMembers(system, names)
    const body = { members: members.map(({ id }) => id) }
    await multitude.ask('POST /v2/systems/@me/switches', body, system)
    return formatFront(members)
  },
  who: async ({ person, account }, nick) => {
    const target = nick === '' ? person : people.find(nick)
    if (!target) return `${nick} is not in my channels.`
    const isOwn = target === person
    const system = isOwn
      ? await requireSystem(account)
      : await multitude.findSystem(await people.identify(target))
    if (system === null) return `${nick} has no system.`
    // For other systems the request has no X-System, so that the response contains public data only.
    const path = `GET /v2/systems/${system}/fronters`
    type Front = { members: Member[] } | null
    const front = await multitude.ask<Front>(path, undefined, isOwn ? system : undefined)
    return formatFront(front?.members ?? [])
  },
  autoproxy: async ({ account }, mode) => {
    if (mode === '') return 'Example: !autoproxy latch'
    const set = await multitude.setAutoproxy(await requireSystem(account), network, mode)
    return `Autoproxy on this network: ${set}.`
  },
  say: async (sender, rest) => {
    const { person, account, channel } = sender
    const [, name, content] = /^([^:]+):\s*(.+)$/.exec(rest) ?? []
    if (!channel || !name || !content) return 'Example, in a channel: !say Wren: hello'
    const [member] = await multitude.findMembers(await requireSystem(account), [name.trim()])
    const at = new Date().toISOString()
    // The member is named, so that neither tags nor autoproxy decide.
    await handleMessage(sender, channel, { content, at, msgid: null, as: member?.id ?? '' })
    return person.why
  },
  delete: async ({ account, channel }) => {
    await requireSystem(account)
    const last = channel && (await multitude.findLastMessage(account, idOf(channel)))
    if (!last) return 'I know no recent message of yours here.'
    await multitude.deleteMessage(last.id)
    // Servers that redact messages assign IDs to them, which follow the network here.
    const isRedacted = messenger.redact(channel, last.id.slice(network.length + 1))
    return isRedacted
      ? 'The message is deleted.'
      : 'The record is deleted, but the message stays on IRC.'
  },
}

async function requireSystem(account: string): Promise<string> {
  const system = await multitude.findSystem(account)
  if (system === null) throw new Error(OFFER)
  return system
}

function formatFront(members: Member[]): string {
  return members.length === 0
    ? 'Nobody is fronting.'
    : `Fronting: ${members.map(displayName).join(', ')}.`
}

/** Sends a private notice, which no bot answers, unless the person left: another may have the nick. */
function notify(person: Person, text: string): void {
  if (people.isPresent(person)) irc.notice(person.nick, oneLine(text))
}

function messageOf({ message }: Error): string {
  return message
}

function readSettings() {
  const { env } = process
  const option = (value = '', defaultValue = '') =>
    ({ type: 'string', default: value || defaultValue }) as const
  try {
    const { values } = parseArgs({
      options: {
        url: option(env.MULTITUDE_URL, 'http://127.0.0.1:8080'),
        host: option(env.IRC_HOST),
        port: option(env.IRC_PORT),
        nick: option(env.IRC_NICK, 'multitude'),
        channels: option(env.IRC_CHANNELS),
        network: option(env.IRC_NETWORK),
        plain: { type: 'boolean', default: false },
      },
    })
    const { MULTITUDE_BOT_KEY: key = '', IRC_PASSWORD: password } = env
    const { host, channels, plain } = values
    const network = values.network || host
    const port = Number(values.port || (plain ? 6667 : 6697))
    if (key === '') throw new Error('A bot key is required.')
    if (host === '' || channels === '') throw new Error('A host and channels are required.')
    // With a slash in its name, IDs of two networks could collide.
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
  await queue
  if (isStopping) process.exit()
  fail(`The connection to ${host} is lost.`)
})

let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    isStopping = true
    irc.quit('Goodbye')
    // Before the connection is established, "close" is not emitted.
    setTimeout(process.exit, 5_000).unref()
  })

// Report a wrong key, or one of another platform, now and not at the first message.
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
  gecos: 'Proxies messages of plural systems: !help',
  enable_echomessage: true,
  auto_reconnect_max_retries: 1_000,
  ...(password && { account: { account: nick, password } }),
})
