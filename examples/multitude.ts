/**
 * Client for bots of any platform, over HTTP with a bot key. It has no dependencies, so that it can
 * be copied into the source of a bot.
 */

/** Response of POST /bot/proxy, with the keys that the examples use. */
export type Decision = Proxied | NotProxied
type Proxied = {
  action: 'proxy'
  system: string
  member: Member
  matched: { by: string }
  message: { content: string; name: string; avatar_url: string | null }
}
type NotProxied =
  | { action: 'ignore'; reason: string }
  | { action: 'refuse'; notify: boolean; text: string }
  | { action: 'autoproxy_off' }
  | { action: 'unlatch' }

export type Member = { id: string; uuid: string; name: string; display_name: string | null }
/** Record of a proxied message; system and member are null if the owner hides them. */
export type Recorded = {
  id: string
  original: string
  sender: string
  system: { id: string; name: string | null } | null
  member: Member | null
}
type ErrorResponse = {
  code: number
  message: string
  errors?: Record<string, { message: string }[]>
}

/** Explanations for users of the reasons to ignore a message. */
const REASONS: Record<string, string> = {
  already_proxied: 'The message was proxied already.',
  system_disabled: 'The operator has disabled the system.',
  channel_disabled: 'The guild has turned proxying off in this channel.',
  proxying_disabled: 'The system has turned proxying off in this guild.',
  empty: 'The message was empty.',
  no_match: 'No tags matched, and autoproxy is off.',
  edited: 'Autoproxy never applies to an edited message.',
  account_autoproxy_disabled: 'Autoproxy is turned off for this account.',
  escaped: 'The message began with a backslash, which skips autoproxy.',
  nobody_fronting: 'Autoproxy follows the front, and nobody is fronting.',
  nothing_latched: 'Autoproxy is in latch mode, and no member is latched yet.',
  member_autoproxy_disabled: 'Autoproxy is turned off for this member.',
  latch_expired: 'The last message of the latched member is too old.',
}

/** Explains why a message was not proxied; `offer` is the text for accounts without a system. */
export function explain(decision: NotProxied, offer: string): string {
  if (decision.action === 'refuse') return decision.text
  // Multitude has executed these commands already; no message is sent for them.
  if (decision.action === 'unlatch') return 'This was a command: the latch is cleared.'
  if (decision.action === 'autoproxy_off') return 'This was a command: autoproxy is off.'
  return decision.reason === 'no_system' ? offer : (REASONS[decision.reason] ?? decision.reason)
}

export const displayName = ({ display_name, name }: Member) => display_name ?? name

export type Multitude = ReturnType<typeof connectMultitude>

export function connectMultitude(url: string, key: string, platform: string, retryMs = 1_000) {
  const base = url.replace(/\/+$/, '')

  /** Sends "METHOD /path", as a system if given. The cause of an error is the code of the server. */
  async function ask<T>(line: string, body?: object, system?: string): Promise<T> {
    const [method = '', path] = line.split(' ')
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bot ${key}`, ...(system && { 'x-system': system }) },
      signal: AbortSignal.timeout(10_000),
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => Promise.reject(new Error(`No server answers at ${base}.`)))
    const text = await response.text().catch(() => '')
    if (response.status === 204) return null as T
    const json = readJson<T | ErrorResponse>(text)
    if (json === null) throw new Error(`The server at ${base} is not Multitude.`)
    if (response.ok) return json as T
    if (response.status === 401) throw new Error(UNKNOWN_KEY)
    const { code, message, errors = {} } = json as ErrorResponse
    const problems = Object.entries(errors).map(([name, [first]]) => `${name}: ${first?.message}`)
    const details = [message, ...problems].join(' ')
    // After a server error, `record` may try again.
    throw response.status < 500 ? new Error(details, { cause: code }) : new Error(details)
  }

  /** Adds the platform to an ID, which paths outside of /bot require except for Discord. */
  const withPlatform = (id: string) =>
    encodeURIComponent(platform === 'discord' ? id : `${platform}:${id}`)

  /** Returns the short ID of the system that an account is linked to, or null. */
  async function findSystem(account: string): Promise<string | null> {
    const path = `GET /bot/accounts/${encodeURIComponent(account)}`
    return ask<{ system: string }>(path).then(({ system }) => system, nullOn(NO_SYSTEM))
  }

  /** Finds members by name, display name or short ID, ignoring case. */
  async function findMembers(system: string, names: string[]): Promise<Member[]> {
    const all = await ask<Member[]>('GET /v2/systems/@me/members', undefined, system)
    return names.map((name) => {
      const matches = (text: string | null) => text?.toLowerCase() === name.toLowerCase()
      const found =
        all.find((member) => matches(member.name)) ??
        all.find((member) => matches(member.id) || matches(member.display_name))
      if (!found) throw new Error(`There is no member ${name}.`)
      return found
    })
  }

  return {
    ask,
    findSystem,
    findMembers,

    /** Sets autoproxy in a guild to off, front, latch or a member. */
    async setAutoproxy(system: string, guild: string, wanted: string): Promise<string> {
      const isMode = ['off', 'front', 'latch'].includes(wanted)
      const [member] = isMode ? [] : await findMembers(system, [wanted])
      const body = member
        ? { autoproxy_mode: 'member', autoproxy_member: member.id }
        : { autoproxy_mode: wanted }
      await ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${withPlatform(guild)}`, body, system)
      return member ? displayName(member) : wanted
    },

    /** Finds the record of a proxied message by its ID or the ID of its original, or returns null. */
    findMessage: (id: string, system?: string) =>
      ask<Recorded>(`GET /v2/messages/${withPlatform(id)}`, undefined, system).then(
        (message) => ({
          ...message,
          id: withoutPlatform(message.id),
          original: withoutPlatform(message.original),
        }),
        nullOn(NO_MESSAGE),
      ),

    /** Finds the last proxied message of an account in a channel, for ten minutes, or returns null. */
    findLastMessage: (account: string, channel: string) =>
      ask<Recorded>(
        `GET /bot/accounts/${encodeURIComponent(account)}/last-message?channel_id=${encodeURIComponent(channel)}`,
      ).catch(nullOn(NO_MESSAGE)),

    /** Records a message. Retries if the response is lost, which is safe because one ID counts once. */
    async record(message: object): Promise<void> {
      for (let tries = 3; ; tries -= 1) {
        const failure = await ask('POST /bot/messages', message).then(() => null, asError)
        if (failure === null) return
        // An error with a code is final; the server would return it again.
        if (failure.cause !== undefined || tries === 1) throw failure
        await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    },

    deleteMessage: (id: string) => ask(`DELETE /bot/messages/${encodeURIComponent(id)}`),
  }

  function withoutPlatform(id: string): string {
    return platform === 'discord' ? id : id.slice(platform.length + 1)
  }
}

const UNKNOWN_KEY =
  'The server does not know this bot key. Create one with: multitude bot create --name NAME'
const NO_SYSTEM = 20001
const NO_MESSAGE = 20006

const asError = (failure: Error) => failure

function nullOn(code: number): (failure: Error) => null {
  return (failure) => {
    if (failure.cause === code) return null
    throw failure
  }
}

function readJson<T>(text: string): T | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
