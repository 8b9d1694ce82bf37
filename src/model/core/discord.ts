import type { Instant } from './time'

/**
 * Kinds of events that the Discord bot must handle at most once: a message to proxy, a message with
 * a command, an interaction, or a reaction that is answered.
 */
export const claimKinds = ['message', 'command', 'interaction', 'reaction'] as const
export type ClaimKind = (typeof claimKinds)[number]

/**
 * `sending`: the proxied message may have been sent; `recorded`: its record is stored and the
 * original must be deleted; `done`: nothing is left to do; `dropped`: nothing was sent.
 */
export const claimStates = ['sending', 'recorded', 'done', 'dropped'] as const
export type ClaimState = (typeof claimStates)[number]

/** An event that a process has begun to handle. It contains no content. */
export interface Claim {
  /** ID of the message or interaction; of a reaction, which has none, its place in the session. */
  id: string
  kind: ClaimKind
  state: ClaimState
  /** Process and attempt that handles the event. */
  node: string
  /** Milliseconds of the engine's clock, because processes on several machines compare it. */
  at: number
  guild: string | null
  channel: string
  thread: string | null
  sender: string
  /** UUID of the member that the message is proxied as. */
  member: string | null
  /** SHA-256 of the name and content that are sent. */
  digest: string | null
}

/** A claim as it is made. */
export type ClaimDraft = Omit<Claim, 'state' | 'at'>

/** Session of the gateway that a process can resume. */
export interface DiscordSession {
  shard: number
  /** Number of shards. A session can be resumed only with the same number. */
  shards: number
  session_id: string
  resume_url: string
  /** Number of the last event that needs no repetition. */
  sequence: number
}

/** ID in the state of a bot whose token was refused before it was known. */
export const UNKNOWN_APPLICATION = ''

/** State of the bot that `multitude status` shows. */
export interface DiscordStatus {
  /** ID of the application. */
  application: string
  /** Name of the bot's account. */
  name: string
  /** Process that runs the bot. */
  node: string
  /** Time of this state. */
  at: Instant
  shards: number
  shards_ready: number
  guilds: number
  last_event: Instant | null
  /** Time since which a shard is not connected; null if all are. */
  disconnected_at: Instant | null
  /** Reason why the bot stopped, as a text for the operator; null while it runs. */
  problem: string | null
}

/**
 * View Channel, Send Messages, Send Messages in Threads, Send Voice Messages, Send Polls, Manage
 * Messages, Manage Webhooks, Embed Links, Attach Files, Read Message History, Add Reactions and Use
 * External Emojis.
 */
export const REQUESTED_PERMISSIONS = 633594112764992n

/** Returns the page of an application for its owner; the list of all if the ID is not known yet. */
export function applicationPage(application: string | null): string {
  const list = 'https://discord.com/developers/applications'
  return application === null ? list : `${list}/${application}`
}

/** Returns the address at which the bot can be added to a Discord server. */
export function inviteUrl(application: string): string {
  return `https://discord.com/oauth2/authorize?client_id=${application}&scope=bot+applications.commands&permissions=${REQUESTED_PERMISSIONS}`
}
