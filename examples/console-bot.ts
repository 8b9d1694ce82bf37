/**
 * A chat platform in a terminal: every line is a message of an account. It is a template for a real
 * adapter: receive a message, ask Multitude for a decision, send the proxied message, record its ID.
 * Run it with Bun:
 *
 *     multitude bot create --name console
 *     MULTITUDE_BOT_KEY=… bun examples/console-bot.ts
 */
import { parseArgs } from 'node:util'
import { connectMultitude, type Decision, displayName, explain, type Recorded } from './multitude'

const USAGE = `usage: bun examples/console-bot.ts [--url URL] [--key KEY] [--account ID] [--guild ID] [--channel ID]
         [--platform PLATFORM]
or set MULTITUDE_URL, MULTITUDE_BOT_KEY, MULTITUDE_ACCOUNT, MULTITUDE_GUILD, MULTITUDE_CHANNEL,
MULTITUDE_PLATFORM (the platform of the key, default: discord)
Create a bot key with: multitude bot create --name console`

const HELP = `  /why                explain why the last message was not proxied
  /edit TEXT          change the last message to TEXT
  /delete [ID]        delete a message of your system, or the last one
  /lookup [ID]        show who sent a message, by its ID or the ID of its original
  /autoproxy MODE     set autoproxy to off, front, latch or the name of a member
  /as ACCOUNT         use another account
  /register NAME      create a system for this account
  /member NAME TAGS   create a member, for example: /member Wren [text]
  /help, /quit        anything else is a message`

const NO_MESSAGE_YET = 'There is no message yet.'
const OFFER = 'This account has no system. Create one with: /register NAME'

/** Message in the channel, with the name it is shown under. */
interface SentMessage {
  account: string
  name: string
  original: string
  /** ID of the proxied message; null if it was not proxied. */
  id: string | null
  member: string | null
}

const { url, key, platform, guild, channel, ...initial } = readSettings()
const multitude = connectMultitude(url, key, platform)
let account = initial.account
let last: SentMessage | null = null
let beforeLast: SentMessage | null = null
let why = NO_MESSAGE_YET
// IDs increase, also across runs.
let lastId = BigInt(Date.now()) << 20n
const nextId = () => String(++lastId)
const notify = (text: string) => console.log(`* ${text}`)

/** Handles a message. An edited one is handled again, because its author may have added tags. */
async function handleMessage(content: string, edited: SentMessage | null = null): Promise<void> {
  const [original, at] = [edited?.original ?? nextId(), new Date().toISOString()]
  const previous: SentMessage | null = edited ? beforeLast : last
  const decision = await multitude.ask<Decision>('POST /bot/proxy', {
    account_id: account,
    guild_id: guild,
    channel_id: channel,
    content,
    is_edit: edited !== null,
    previous: previous && { name: previous.name, member: previous.member },
    at,
  })
  beforeLast = previous
  if (decision.action === 'proxy') {
    const { member, matched, message } = decision
    // A real adapter sends the message here, deletes the original and gets the ID from the platform.
    const id = nextId()
    console.log(`${message.name}: ${message.content}`)
    if (message.avatar_url) console.log(`  (${message.avatar_url})`)
    last = { account, name: message.name, original, id, member: member.uuid }
    why = `The message was proxied by ${matched.by}.`
    const record = { id, original, sender: account, channel, guild, member: member.uuid }
    await multitude.record({ ...record, timestamp: at })
    return
  }
  console.log(`${account}: ${content}`)
  last = { account, name: account, original, id: null, member: null }
  why = explain(decision, OFFER)
  if (decision.action === 'refuse' && decision.notify) notify(why)
}

const commands: Record<string, (rest: string) => Promise<void> | void> = {
  why: () => notify(why),
  help: () => console.log(HELP),
  edit: async (text) => {
    if (!last) return notify(NO_MESSAGE_YET)
    if (text === '') return notify('Example: /edit corrected text')
    if (last.id !== null) {
      // Multitude does not store the text, only the owner of the message.
      await findOwnMessage(last.id)
      console.log(`${last.name}: ${text} (edited)`)
      return
    }
    if (last.account !== account) return notify('This message belongs to another account.')
    await handleMessage(text, last)
  },
  delete: async (id) => {
    const target = id || last?.id
    if (!target) return notify('The last message was not proxied.')
    // A real adapter deletes the message here, and its record with it.
    const message = await findOwnMessage(target)
    await multitude.deleteMessage(message.id)
    if (message.id === last?.id) [last, beforeLast] = [beforeLast, null]
    notify(`Deleted message ${message.id}.`)
  },
  lookup: async (id) => {
    const target = id || last?.id
    if (!target) return notify(last ? 'The last message was not proxied.' : NO_MESSAGE_YET)
    // Without X-System, so that the response contains public data only.
    const message = await multitude.findMessage(target)
    if (!message) return notify('There is no such message.')
    const { member, system, sender, original } = message
    const author = `${member ? displayName(member) : 'Unknown member'} of system ${system?.id ?? '?'}`
    notify(`${message.id}: ${author}, sent by ${sender} as ${original}.`)
  },
  autoproxy: async (target) => {
    if (target === '') return notify('Example: /autoproxy latch')
    const set = await multitude.setAutoproxy(await requireSystem(), guild, target)
    notify(`Autoproxy in this guild: ${set}.`)
  },
  as: async (id) => {
    await showSystem(id)
    account = id
  },
  register: async (name) => {
    const body = { account_id: account, name }
    type Created = { system: { id: string }; token: string }
    const created = await multitude.ask<Created>('POST /bot/systems', body)
    notify(`Created system ${created.system.id}. Its token, shown only once: ${created.token}`)
  },
  member: async (rest) => {
    const [, name, prefix, suffix] = /^(.+) (\S*)text(\S*)$/.exec(rest) ?? []
    if (name === undefined) return notify('Example: /member Wren [text]')
    // With X-System, a bot can use all of version 2 as this system.
    const body = { name, proxy_tags: [{ prefix, suffix }] }
    await multitude.ask('POST /v2/members', body, await requireSystem())
    notify(`Created member ${name}.`)
  },
}

/** Prints the system of an account. */
async function showSystem(id: string): Promise<void> {
  const system = await multitude.findSystem(id)
  notify(system === null ? OFFER : `Account ${id} belongs to system ${system}.`)
}

async function requireSystem(): Promise<string> {
  const system = await multitude.findSystem(account)
  if (system === null) throw new Error(OFFER)
  return system
}

/** Finds a message of the account's system, whose accounts alone may change it. */
async function findOwnMessage(id: string): Promise<Recorded> {
  const system = await requireSystem()
  const message = await multitude.findMessage(id, system)
  if (!message) throw new Error('There is no such message.')
  if (message.system?.id !== system) throw new Error('This message belongs to another system.')
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
        key: option(env.MULTITUDE_BOT_KEY),
        platform: option(env.MULTITUDE_PLATFORM, 'discord'),
        account: option(env.MULTITUDE_ACCOUNT, '100000000000000001'),
        guild: option(env.MULTITUDE_GUILD, '200000000000000001'),
        channel: option(env.MULTITUDE_CHANNEL, '300000000000000001'),
      },
    })
    if (values.key === '') throw new Error('A bot key is required.')
    return values
  } catch (failure) {
    return fail(failure as Error, `\n${USAGE}`, 2)
  }
}

function fail({ message }: Error, hint = '', code = 1): never {
  console.error(message + hint)
  process.exit(code)
}

async function handleLine(line: string): Promise<void> {
  const [, name, rest = ''] = /^\/(\S*)\s*(.*)$/.exec(line) ?? []
  // Commands are never proxied, and no platform sends blank messages.
  if (name === undefined) return line.trim() === '' ? undefined : handleMessage(line)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) return notify(`There is no command /${name}. /help lists them.`)
  await command(rest.trim())
}

await showSystem(account).catch(fail)
const prompt = () => process.stdin.isTTY && process.stdout.write('> ')
prompt()
for await (const line of console) {
  if (line.trim() === '/quit') break
  await handleLine(line).catch(({ message }: Error) => notify(message))
  prompt()
}
