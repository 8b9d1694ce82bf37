/**
 * A chat platform in a terminal: every line is a message that an account sends. It is the template
 * for a real adapter: hear a message, ask what becomes of it, send what it is told, report the ID.
 */
import { parseArgs } from 'node:util'

const USAGE = `usage: bun examples/console-bot.ts [--url URL] [--key KEY] [--account ID] [--guild ID] [--channel ID]
or set MULTITUDE_URL, MULTITUDE_BOT_KEY, MULTITUDE_ACCOUNT, MULTITUDE_GUILD, MULTITUDE_CHANNEL
A bot key is made with: multitude bot create --name console`

const HELP = `  /why                why was the last message not proxied?
  /as ACCOUNT         type as another account
  /register NAME      make a system for this account
  /member NAME TAGS   make a member of it, such as: /member Wren [text]
  /help, /quit        anything else is a message`

const OFFER = 'This account has no system. Make one with: /register NAME'

/** The reasons of the service to leave a message alone, in words for whoever asks. */
const REASONS: Record<string, string> = {
  no_system: OFFER,
  channel_disabled: 'The guild has turned proxying off in this channel.',
  proxying_disabled: 'The system has turned proxying off in this guild.',
  empty: 'There was nothing in it.',
  no_match: 'No tags matched, and autoproxy is off.',
  edited: 'Autoproxy never applies to an edited message.',
  account_autoproxy_disabled: 'Autoproxy is turned off for this account.',
  escaped: 'It began with a backslash, which keeps autoproxy away.',
  nobody_fronting: 'Autoproxy follows the front, and nobody is fronting.',
  nothing_latched: 'Autoproxy latches to whoever speaks, and nobody has spoken yet.',
  member_autoproxy_disabled: 'The member does not want to be autoproxied.',
  latch_expired: 'The last message of the latched member is too long ago.',
}

/** What POST /bot/proxy answers, as far as it is used here. */
type Decision =
  | { action: 'proxy'; member: { uuid: string }; matched: { by: string }; message: Message }
  | { action: 'ignore'; reason: string }
  | { action: 'refuse'; notify: boolean; text: string }
  | { action: 'autoproxy_off' | 'unlatch' }
type Message = { content: string; name: string; avatar_url: string | null }
type ErrorAnswer = { code: number; message: string; errors?: Record<string, { message: string }[]> }

const { url, key, guild, channel, ...given } = readSettings()
let account = given.account
let previous: { name: string; member: string | null } | null = null
let why = 'Nothing was said yet.'
// IDs only grow, also from one run to the next.
let lastId = BigInt(Date.now()) << 20n
const nextId = () => String(++lastId)
const note = (text: string) => console.log(`* ${text}`)

async function hear(content: string): Promise<void> {
  const [original, at] = [nextId(), new Date().toISOString()]
  const place = { account_id: account, guild_id: guild, channel_id: channel }
  const decision = await ask<Decision>('POST /bot/proxy', { ...place, content, previous, at })
  if (decision.action === 'proxy') {
    const { member, matched, message } = decision
    // Here a real adapter sends the message and deletes the original; the platform gives the ID.
    const id = nextId()
    console.log(`${message.name}: ${message.content}`)
    if (message.avatar_url) console.log(`  (${message.avatar_url})`)
    previous = { name: message.name, member: member.uuid }
    why = `It was proxied, by ${matched.by}.`
    // Whoever cannot tell whether this was heard may repeat it: one ID counts once.
    const record = { id, original, sender: account, channel, guild, member: member.uuid }
    await ask('POST /bot/messages', { ...record, timestamp: at })
    return
  }
  console.log(`${account}: ${content}`)
  previous = { name: account, member: null }
  if (decision.action === 'ignore') why = REASONS[decision.reason] ?? decision.reason
  else if (decision.action === 'refuse') why = decision.text
  else why = `It was a command: ${decision.action}.`
  if (decision.action === 'refuse' && decision.notify) note(why)
}

const commands: Record<string, (rest: string) => Promise<void> | void> = {
  why: () => note(why),
  help: () => console.log(HELP),
  as: async (id) => {
    await greet(id)
    account = id
  },
  register: async (name) => {
    const body = { account_id: account, name }
    const made = await ask<{ system: { id: string }; token: string }>('POST /bot/systems', body)
    note(`System ${made.system.id} is made. Its token, shown this once: ${made.token}`)
  },
  member: async (rest) => {
    const [, name, prefix, suffix] = /^(.+) (\S*)text(\S*)$/.exec(rest) ?? []
    if (name === undefined) return note('Such as: /member Wren [text]')
    // With X-System, a bot may use all of version 2 on behalf of a system.
    const { system } = await ask<{ system: string }>(`GET /bot/accounts/${account}`)
    await ask(
      'POST /v2/members',
      { name, proxy_tags: [{ prefix, suffix }] },
      { 'x-system': system },
    )
    note(`${name} is made.`)
  },
}

/** Says whose account this is. */
async function greet(id: string): Promise<void> {
  try {
    const { system } = await ask<{ system: string }>(`GET /bot/accounts/${encodeURIComponent(id)}`)
    note(`Account ${id} speaks for system ${system}.`)
  } catch (failure) {
    if ((failure as Error).cause !== NO_SYSTEM) throw failure
    note(OFFER)
  }
}

const NO_SYSTEM = 20001

/** Asks "METHOD /path" of the server; its error has the server's number as cause. */
async function ask<T>(line: string, body?: object, headers = {}): Promise<T> {
  const [method = '', path] = line.split(' ')
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bot ${key}`, ...headers },
    signal: AbortSignal.timeout(10_000),
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => Promise.reject(new Error(`No server answers at ${url}.`)))
  const answer: unknown = await response.json().catch(() => null)
  if (answer === null) throw new Error(`What answers at ${url} is not Multitude.`)
  if (response.ok) return answer as T
  if (response.status === 401) throw new Error(`The server does not know this bot key.\n${USAGE}`)
  const { code, message, errors = {} } = answer as ErrorAnswer
  const problems = Object.entries(errors).map(([name, [first]]) => `${name}: ${first?.message}`)
  throw new Error([message, ...problems].join(' '), { cause: code })
}

function readSettings() {
  const { env } = process
  const setting = (value = '', usual = '') => ({ type: 'string', default: value || usual }) as const
  try {
    const { values } = parseArgs({
      options: {
        url: setting(env.MULTITUDE_URL, 'http://127.0.0.1:8080'),
        key: setting(env.MULTITUDE_BOT_KEY),
        account: setting(env.MULTITUDE_ACCOUNT, '100000000000000001'),
        guild: setting(env.MULTITUDE_GUILD, '200000000000000001'),
        channel: setting(env.MULTITUDE_CHANNEL, '300000000000000001'),
      },
    })
    if (values.key === '') throw new Error('A bot key is needed.')
    return { ...values, url: values.url.replace(/\/+$/, '') }
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
