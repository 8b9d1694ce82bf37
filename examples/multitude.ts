/**
 * What a bot of any platform needs of Multitude, over HTTP with its bot key. It needs nothing
 * itself, so that it can be copied beside a bot.
 */

/** What POST /bot/proxy answers, as far as the examples use it. */
export type Decision = Proxied | Left
type Proxied = {
  action: 'proxy'
  system: string
  member: Member
  matched: { by: string }
  message: { content: string; name: string; avatar_url: string | null }
}
type Left =
  | { action: 'ignore'; reason: string }
  | { action: 'refuse'; notify: boolean; text: string }
  | { action: 'autoproxy_off' }
  | { action: 'unlatch' }

export type Member = { id: string; uuid: string; name: string; display_name: string | null }
/** The record of a proxied message; where the owner hides them, system and member are null. */
export type Recorded = {
  id: string
  original: string
  sender: string
  system: { id: string; name: string | null } | null
  member: Member | null
}
type ErrorAnswer = { code: number; message: string; errors?: Record<string, { message: string }[]> }

/** The reasons of the service to leave a message alone, in words for whoever asks. */
const REASONS: Record<string, string> = {
  system_disabled: 'The operator has disabled the system.',
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

/** Why a message stays as it was written. The offer is for those without a system. */
export function explain(decision: Left, offer: string): string {
  if (decision.action === 'refuse') return decision.text
  // The service has done these already; nothing is said in their place.
  if (decision.action === 'unlatch') return 'It was a command: nobody is latched any more.'
  if (decision.action === 'autoproxy_off') return 'It was a command: autoproxy is off.'
  return decision.reason === 'no_system' ? offer : (REASONS[decision.reason] ?? decision.reason)
}

export const displayName = ({ display_name, name }: Member) => display_name ?? name

export type Multitude = ReturnType<typeof connectMultitude>

export function connectMultitude(url: string, key: string, platform: string) {
  const base = url.replace(/\/+$/, '')

  /** Asks "METHOD /path", for a system if one is named; an error has the server's number as cause. */
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
    const answer = readJson<T | ErrorAnswer>(text)
    if (answer === null) throw new Error(`What answers at ${base} is not Multitude.`)
    if (response.ok) return answer as T
    if (response.status === 401) throw new Error(UNKNOWN_KEY)
    const { code, message, errors = {} } = answer as ErrorAnswer
    const problems = Object.entries(errors).map(([name, [first]]) => `${name}: ${first?.message}`)
    const words = [message, ...problems].join(' ')
    // A server in trouble has decided nothing.
    throw response.status < 500 ? new Error(words, { cause: code }) : new Error(words)
  }

  /** Under /bot an ID is the platform's own; everywhere else others' stand beside it. */
  const spoken = (id: string) =>
    encodeURIComponent(platform === 'discord' ? id : `${platform}:${id}`)

  /** The short ID of the system that an account is linked to, or null. */
  async function findSystem(account: string): Promise<string | null> {
    const path = `GET /bot/accounts/${encodeURIComponent(account)}`
    return ask<{ system: string }>(path).then(({ system }) => system, nullAt(NO_SYSTEM))
  }

  /** The members that are called so, whatever the case, or have that short ID. */
  async function findMembers(system: string, names: string[]): Promise<Member[]> {
    const all = await ask<Member[]>('GET /v2/systems/@me/members', undefined, system)
    return names.map((name) => {
      const isMeant = (text: string | null) => text?.toLowerCase() === name.toLowerCase()
      const found =
        all.find((member) => isMeant(member.name)) ??
        all.find((member) => isMeant(member.id) || isMeant(member.display_name))
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
      await ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${spoken(guild)}`, body, system)
      return member ? displayName(member) : wanted
    },

    /** The record of a proxied message, by its own ID or its original's, or null. */
    findMessage: (id: string, system?: string) =>
      ask<Recorded>(`GET /v2/messages/${spoken(id)}`, undefined, system).then(
        (message) => ({ ...message, id: bare(message.id), original: bare(message.original) }),
        nullAt(NO_MESSAGE),
      ),

    /** Whoever cannot tell whether a record was heard repeats it: one ID counts once. */
    async record(message: object): Promise<void> {
      for (let tries = 3; ; tries -= 1) {
        const failure = await ask('POST /bot/messages', message).then(() => null, asError)
        if (failure === null) return
        // With a number, the server has decided, and would answer the same again.
        if (failure.cause !== undefined || tries === 1) throw failure
        await new Promise((resolve) => setTimeout(resolve, 1_000))
      }
    },

    forgetMessage: (id: string) => ask(`DELETE /bot/messages/${encodeURIComponent(id)}`),
  }

  function bare(id: string): string {
    return platform === 'discord' ? id : id.slice(platform.length + 1)
  }
}

const UNKNOWN_KEY =
  'The server does not know this bot key. One is made with: multitude bot create --name NAME'
const NO_SYSTEM = 20001
const NO_MESSAGE = 20006

const asError = (failure: Error) => failure

function nullAt(code: number): (failure: Error) => null {
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
