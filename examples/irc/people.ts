/**
 * Who is who on IRC. A nick is anybody's who takes it, so an account is the services account where
 * the server tells it. Everybody else is known for as long as the bot sees their connection, under
 * an ID that is never given twice: whoever takes the nick afterwards is a stranger.
 */
import type { Client, Heard } from 'irc-framework'

/** One connection to the network that shares a channel with the bot, whatever its nick. */
export interface Person {
  nick: string
  readonly channels: Set<string>
  /** Its ID while it is not logged in. No services account has a "!" in its name. */
  readonly session: string
  /** Whether Multitude knows the session. */
  isLinked: boolean
  /** The services account; null is not logged in, undefined is not known yet. */
  account: string | null | undefined
  /** What became of the last line. */
  why: string
}

const PATIENCE_MS = 5_000

/** Follows who comes and goes, and says when a connection is lost from sight. */
export function watchPeople(irc: Client, network: string, onGone: (person: Person) => void) {
  const people = new Map<string, Person>()
  const find = (nick: string) => people.get(irc.caseLower(nick))
  const isHere = (person: Person) => find(person.nick) === person
  const isMe = (nick: string) => irc.caseCompare(nick, irc.user.nick)

  function meet(nick: string, channel: string): Person {
    const person = find(nick) ?? {
      nick,
      channels: new Set(),
      session: `${network}/!${crypto.randomUUID()}`,
      isLinked: false,
      account: undefined,
      why: 'You have said nothing yet.',
    }
    people.set(irc.caseLower(nick), person)
    person.channels.add(irc.caseLower(channel))
    return person
  }

  function lose(person: Person): void {
    people.delete(irc.caseLower(person.nick))
    onGone(person)
  }

  /** Outside all channels of the bot, somebody could hand on their nick unseen. */
  function leave(nick: string, channel: string): void {
    const leaving = isMe(nick) ? [...people.values()] : [find(nick)]
    for (const person of leaving) {
      person?.channels.delete(irc.caseLower(channel))
      if (person?.channels.size === 0) lose(person)
    }
  }

  function loseAll(): void {
    for (const person of people.values()) lose(person)
  }

  irc.on('userlist', ({ channel, users }) => {
    for (const { nick } of users) if (!isMe(nick)) meet(nick, channel)
  })
  irc.on('join', ({ nick, channel, account }) => {
    if (isMe(nick)) return
    const person = meet(nick, channel)
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
    if (person) lose(person)
  })
  irc.on('socket close', loseAll)

  /** Asks the server for the services account. */
  async function askAccount(person: Person): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<{ account?: string; error?: string }>()
    irc.whois(person.nick, resolve)
    const timer = setTimeout(resolve, PATIENCE_MS, { error: 'no answer' })
    const { account = null, error } = await promise
    clearTimeout(timer)
    // If they are gone meanwhile, this may be about whoever took the nick.
    if (error || !isHere(person)) return null
    person.account = account
    return account
  }

  async function identify(person: Person, told = person.account): Promise<string> {
    const account = told === undefined ? await askAccount(person) : told
    return account === null ? person.session : `${network}/${irc.caseLower(account)}`
  }

  return {
    find,
    isHere,
    identify,
    loseAll,

    /** Who said a line, and how to learn their account ID as of now, when it is wanted. */
    recognize({ nick, account }: Heard, isCommand: boolean) {
      const person = find(nick)
      // From outside a channel one can talk, but how long they keep the nick cannot be seen.
      if (!person) return null
      if (irc.network.cap.isEnabled('account-tag')) person.account = account ?? null
      // Where the server does not say when somebody logs in or out, a command asks anew.
      else if (isCommand && !irc.network.cap.isEnabled('account-notify')) person.account = undefined
      const told = person.account
      return { person, identify: () => identify(person, told) }
    },
  }
}
