/**
 * Identifies people on IRC. Any client can take a free nick, so people are identified by their
 * services account. People without one get an ID that is valid while the bot sees their connection
 * and is never reused.
 */
import type { Client, Message } from 'irc-framework'

/** Connection to the network that shares a channel with the bot, independent of its nick. */
export interface Person {
  nick: string
  readonly channels: Set<string>
  /** Account ID while not logged in. Names of services accounts contain no "!". */
  readonly session: string
  /** True if the session ID is linked to a system. */
  isLinked: boolean
  /** Account name at the IRC services; null if not logged in, undefined if not known yet. */
  account: string | null | undefined
  /** Explanation of what happened to the last line. */
  why: string
}

const TIMEOUT_MS = 5_000

/** Tracks the people in the channels, and calls `onGone` when the bot no longer sees a connection. */
export function watchPeople(irc: Client, network: string, onGone: (person: Person) => void) {
  const people = new Map<string, Person>()
  const find = (nick: string) => people.get(irc.caseLower(nick))
  const isPresent = (person: Person) => find(person.nick) === person
  const isMe = (nick: string) => irc.caseCompare(nick, irc.user.nick)

  function addPerson(nick: string, channel: string): Person {
    const person = find(nick) ?? {
      nick,
      channels: new Set(),
      session: `${network}/!${crypto.randomUUID()}`,
      isLinked: false,
      account: undefined,
      why: 'You have sent no message yet.',
    }
    people.set(irc.caseLower(nick), person)
    person.channels.add(irc.caseLower(channel))
    return person
  }

  function removePerson(person: Person): void {
    people.delete(irc.caseLower(person.nick))
    onGone(person)
  }

  /** Forgets a person outside of all channels of the bot, whose nick could change unnoticed. */
  function leave(nick: string, channel: string): void {
    const leaving = isMe(nick) ? [...people.values()] : [find(nick)]
    for (const person of leaving) {
      person?.channels.delete(irc.caseLower(channel))
      if (person?.channels.size === 0) removePerson(person)
    }
  }

  function removeEveryone(): void {
    for (const person of people.values()) removePerson(person)
  }

  irc.on('userlist', ({ channel, users }) => {
    for (const { nick } of users) if (!isMe(nick)) addPerson(nick, channel)
  })
  irc.on('join', ({ nick, channel, account }) => {
    if (isMe(nick)) return
    const person = addPerson(nick, channel)
    if (account !== undefined) person.account = account || null
  })
  irc.on('account', ({ nick, account }) => {
    const person = find(nick)
    if (person) person.account = account || null
  })
  irc.on('nick', ({ nick, new_nick }) => {
    const person = find(nick)
    if (!person) return
    people.delete(irc.caseLower(nick))
    people.set(irc.caseLower(new_nick), person)
    person.nick = new_nick
  })
  irc.on('part', ({ nick, channel }) => leave(nick, channel))
  irc.on('kick', ({ kicked, channel }) => leave(kicked, channel))
  irc.on('quit', ({ nick }) => {
    const person = find(nick)
    if (person) removePerson(person)
  })
  irc.on('socket close', removeEveryone)

  /** Requests the services account from the server. */
  async function requestAccount(person: Person): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<{ account?: string; error?: string }>()
    irc.whois(person.nick, resolve)
    const timer = setTimeout(resolve, TIMEOUT_MS, { error: 'no response' })
    const { account = null, error } = await promise
    clearTimeout(timer)
    // If the person left meanwhile, the response may be about another owner of the nick.
    if (error || !isPresent(person)) return null
    person.account = account
    return account
  }

  async function identify(person: Person, known = person.account): Promise<string> {
    const account = known === undefined ? await requestAccount(person) : known
    return account === null ? person.session : `${network}/${irc.caseLower(account)}`
  }

  return {
    find,
    isPresent,
    identify,
    removeEveryone,

    /** Returns the sender of a line, and a function that returns the account ID as of now. */
    recognize({ nick, account }: Message, isCommand: boolean) {
      const person = find(nick)
      // The bot cannot track the nick of a sender outside of its channels.
      if (!person) return null
      if (irc.network.cap.isEnabled('account-tag')) person.account = account ?? null
      // If the server does not announce logins, each command requests the account again.
      else if (isCommand && !irc.network.cap.isEnabled('account-notify')) person.account = undefined
      const known = person.account
      return { person, identify: () => identify(person, known) }
    },
  }
}
