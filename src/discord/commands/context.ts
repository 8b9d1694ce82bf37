import type { Viewer } from '../../model/core/privacy'
import type { Substitute } from '../../model/proxy/substitution'
import type { Deps } from '../../service/core/deps'
import type { MessageReference } from '../messages/messageLink'
import type { NameCommand } from '../text/commandNames'
import type { Texts } from '../text/texts'
import type { Answer } from './answer'
import type { Attachment, DiscordSide } from './discordInterface'
import type { RateLimit } from './rateLimit'

/** Webhook of a system for its events. The layer `events` has the functions, `app` passes them on. */
export interface EventWebhooks {
  find(viewer: Viewer): Promise<{ url: string; state: string } | null>
  /** Registers an address and returns its signing token, which is shown once. */
  register(viewer: Viewer, url: string): Promise<string>
  remove(viewer: Viewer): Promise<void>
}

/** Parts that all commands of a bot share. */
export interface CommandDeps {
  readonly deps: Deps
  readonly texts: Texts
  readonly discord: DiscordSide
  readonly webhooks: EventWebhooks
  readonly prompts: Prompts
  readonly rateLimit: RateLimit
  readonly substitute: Substitute
  readonly settings: {
    readonly prefixes: readonly string[]
    /** Public address of this server; empty if it is not set. */
    readonly publicUrl: string
    readonly importLimit: number
  }
  /** Returns whether a failure means that the database is away for now. */
  readonly isDatabaseAway: (cause: unknown) => boolean
  /** Logs an unexpected error. Neither content nor secrets may be in it. */
  readonly onError: (cause: unknown, command: string) => void
}

/** Circumstances of one command, supplied by a message, an interaction or a test. */
export interface Context extends CommandDeps {
  readonly via: 'text' | 'interaction'
  /** Prefix that was typed; the first one for interactions. */
  readonly prefix: string
  /** Names commands as the account writes them. */
  readonly name: NameCommand
  /** ID of the account that asks. */
  readonly account: string
  /** ID of the message or interaction. */
  readonly id: string
  /** Null in direct messages. */
  readonly guild: {
    readonly id: string
    /** Permissions of the account in the channel. */
    readonly permissions: bigint
  } | null
  readonly channel: string
  readonly attachments: readonly Attachment[]
  /** Message that the command replies to, or that a context menu was opened on. */
  readonly target: MessageReference | null
  /** Sends a direct message to the account. Returns false if it does not accept any. */
  sendDirect(answer: Answer): Promise<boolean>
  /** Defers the answer, because it takes longer than a second. */
  defer(): Promise<void>
  /** Deletes the message with the command, if the bot may. */
  deleteCommand(): Promise<void>
}

/** A question that waits for a button or a typed answer. */
export interface Prompt {
  /** The only account that may answer. */
  readonly account: string
  readonly minutes: number
  /** Runs a pressed button or the submitted fields of a modal. Null keeps the prompt open. */
  readonly onPress: (
    context: Context,
    action: string,
    fields: Readonly<Record<string, string>>,
  ) => Promise<PromptResult>
  /** Messages of the account in the channel that answer the question. */
  readonly typed?: {
    accepts(text: string): boolean
    run(context: Context, text: string): Promise<PromptResult>
  }
}

export interface PromptResult {
  readonly answer: Answer
  /** The prompt can be answered again. */
  readonly staysOpen?: boolean
}

export interface Prompts {
  /** Stores a prompt and returns a function that makes the IDs of its buttons. */
  open(prompt: Prompt, channel: string): (action: string) => string
  /** Answers a pressed button or a submitted modal; null if no prompt of this bot made the ID. */
  press(
    context: Context,
    id: string,
    fields?: Readonly<Record<string, string>>,
  ): Promise<Answer | null>
  /** Returns whether a message of the account in the channel answers a question. */
  isAnswer(account: string, channel: string, text: string): boolean
  /** Answers a message without a prefix, such as `yes`; null if the account was not asked. */
  type(context: Context, text: string): Promise<Answer | null>
}
