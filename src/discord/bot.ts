import type { BotCore } from './core'
import type { LogChannel } from './logChannel'
import type { Notices } from './notices'
import type { ChannelQueues } from './proxying/channelQueues'
import type { IgnoredMessages } from './proxying/ignoredMessages'

/** The running bot: everything that handlers of events and commands use. */
export interface Bot extends BotCore {
  readonly notices: Notices
  readonly logChannel: LogChannel
  readonly ignored: IgnoredMessages
  readonly queues: ChannelQueues
  /** IDs of claims that this process works on, which recovery leaves alone. */
  readonly underWay: Set<string>
  /** Name of this process in claims. */
  readonly node: string
}
