/**
 * A chat platform in a terminal: every line is a message that an account sends. It is the template
 * for a real adapter: hear a message, ask what becomes of it, send what it is told, report the ID.
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
MULTITUDE_PLATFORM (discord, unless the key is of another)
A bot key is made with: multitude bot create --name console`

const HELP = `  /why                why was the last message not proxied?
  /edit TEXT          the last message should have been TEXT
  /delete [ID]        take back a message of your system, or the last
  /lookup [ID]        who sent a message, by its ID or that of its original
  /autoproxy MODE     off, front, latch, or the name of a member
  /as ACCOUNT         type as another account
  /register NAME      make a system for this account
  /member NAME TAGS   make a member of it, such as: /member Wren [text]
  /help, /quit        anything else is a message`

const OFFER = 'This account has no system. Make one with: /register NAME'

/** A message in the channel, under the name it is shown with. */
interface Said {
  account: string
  name: string
  original: string
  /** Of the proxied message, if it was. */
  id: string | null
  member: string | null
}

const { url, key, platform, guild, channel, ...given } = readSettings()
const multitude = connectMultitude(url, key, platform)
let account = given.account
let last: Said | null = null
let beforeLast: Said | null = null
let why = 'Nothing was said yet.'
// IDs only grow, also from one run to the next.
let lastId = BigInt(Date.now()) << 20n
const nextId = () => String(++lastId)
const note = (text: string) => console.log(`* ${text}`)

/** What was edited is heard again, and may now be proxied: its author has put in the tags. */
async function hear(content: string, edited: Said | null = null): Promise<void> {
  const [original, at] = [edited?.original ?? nextId(), new Date().toISOString()]
  const previous: Said | null = edited ? beforeLast : last
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
    // Here a real adapter sends the message and deletes the original; the platform gives the ID.
    const id = nextId()
    console.log(`${message.name}: ${message.content}`)
    if (message.avatar_url) console.log(`  (${message.avatar_url})`)
    last = { account, name: message.name, original, id, member: member.uuid }
    why = `It was proxied, by ${matched.by}.`
    const record = { id, original, sender: account, channel, guild, member: member.uuid }
    await multitude.record({ ...record, timestamp: at })
    return
  }
  console.log(`${account}: ${content}`)
  last = { account, name: account, original, id: null, member: null }
  why = explain(decision, OFFER)
  if (decision.action === 'refuse' && decision.notify) note(why)
}

const commands: Record<string, (rest: string) => Promise<void> | void> = {
  why: () => note(why),
  help: () => console.log(HELP),
  edit: async (text) => {
    if (!last) return note('Nothing was said yet.')
    if (text === '') return note('Such as: /edit what was meant')
    if (last.id !== null) {
      // The text is the platform's alone: Multitude only knows whose it is.
      await findOwn(last.id)
      console.log(`${last.name}: ${text} (edited)`)
      return
    }
    if (last.account !== account) return note('It is of another account.')
    await hear(text, last)
  },
  delete: async (id) => {
    const wanted = id || last?.id
    if (!wanted) return note('The last message was not proxied.')
    // Here a real adapter deletes the message; its record goes with it.
    const message = await findOwn(wanted)
    await multitude.forgetMessage(message.id)
    if (message.id === last?.id) [last, beforeLast] = [beforeLast, null]
    note(`${message.id} is gone.`)
  },
  lookup: async (id) => {
    const wanted = id || last?.id
    if (!wanted) return note(last ? 'The last message was not proxied.' : 'Nothing was said yet.')
    // For nobody, and so with no more than everybody may see.
    const message = await multitude.findMessage(wanted)
    if (!message) return note('There is no such message.')
    const { member, system, sender, original } = message
    const whose = `${member ? displayName(member) : 'Somebody'} of system ${system?.id ?? '?'}`
    note(`${message.id}: ${whose}, sent by ${sender} as ${original}.`)
  },
  autoproxy: async (wanted) => {
    if (wanted === '') return note('Such as: /autoproxy latch')
    const set = await multitude.setAutoproxy(await needSystem(), guild, wanted)
    note(`Autoproxy in this guild: ${set}.`)
  },
  as: async (id) => {
    await greet(id)
    account = id
  },
  register: async (name) => {
    const body = { account_id: account, name }
    type Made = { system: { id: string }; token: string }
    const made = await multitude.ask<Made>('POST /bot/systems', body)
    note(`System ${made.system.id} is made. Its token, shown this once: ${made.token}`)
  },
  member: async (rest) => {
    const [, name, prefix, suffix] = /^(.+) (\S*)text(\S*)$/.exec(rest) ?? []
    if (name === undefined) return note('Such as: /member Wren [text]')
    // With a system named, a bot may use all of version 2 on its behalf.
    const body = { name, proxy_tags: [{ prefix, suffix }] }
    await multitude.ask('POST /v2/members', body, await needSystem())
    note(`${name} is made.`)
  },
}

/** Says whose account this is. */
async function greet(id: string): Promise<void> {
  const system = await multitude.findSystem(id)
  note(system === null ? OFFER : `Account ${id} speaks for system ${system}.`)
}

async function needSystem(): Promise<string> {
  const system = await multitude.findSystem(account)
  if (system === null) throw new Error(OFFER)
  return system
}

/** All accounts of a system may do with its messages as they like, and nobody else. */
async function findOwn(id: string): Promise<Recorded> {
  const system = await needSystem()
  const message = await multitude.findMessage(id, system)
  if (!message) throw new Error('There is no such message.')
  if (message.system?.id !== system) throw new Error('It is of another system.')
  return message
}

function readSettings() {
  const { env } = process
  const setting = (value = '', usual = '') => ({ type: 'string', default: value || usual }) as const
  try {
    const { values } = parseArgs({
      options: {
        url: setting(env.MULTITUDE_URL, 'http://127.0.0.1:8080'),
        key: setting(env.MULTITUDE_BOT_KEY),
        platform: setting(env.MULTITUDE_PLATFORM, 'discord'),
        account: setting(env.MULTITUDE_ACCOUNT, '100000000000000001'),
        guild: setting(env.MULTITUDE_GUILD, '200000000000000001'),
        channel: setting(env.MULTITUDE_CHANNEL, '300000000000000001'),
      },
    })
    if (values.key === '') throw new Error('A bot key is needed.')
    return values
  } catch (failure) {
    return fail(failure as Error, `\n${USAGE}`, 2)
  }
}

function fail({ message }: Error, hint = '', code = 1): never {
  console.error(message + hint)
  process.exit(code)
}

async function obey(line: string): Promise<void> {
  const [, name, rest = ''] = /^\/(\S*)\s*(.*)$/.exec(line) ?? []
  // Commands are never proxied, and no platform sends what is blank.
  if (name === undefined) return line.trim() === '' ? undefined : hear(line)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) return note(`There is no command /${name}. /help lists them.`)
  await command(rest.trim())
}

await greet(account).catch(fail)
const prompt = () => process.stdin.isTTY && process.stdout.write('> ')
prompt()
for await (const line of console) {
  if (line.trim() === '/quit') break
  await obey(line).catch(({ message }: Error) => note(message))
  prompt()
}
