import type { BotCore } from './core'
import type { LogChannel } from './logChannel'
import type { Notices } from './notices'
import type { Pings } from './operations/ping'
import type { ChannelQueues } from './proxying/channelQueues'
import type { IgnoredMessages } from './proxying/ignoredMessages'
import type { SlowMode } from './slowMode'
import type { UnderWay } from './underWay'

/** The running bot: everything that handlers of events and commands use. */
export interface Bot extends BotCore {
  readonly notices: Notices
  readonly logChannel: LogChannel
  readonly pings: Pings
  readonly slowMode: SlowMode
  readonly ignored: IgnoredMessages
  readonly queues: ChannelQueues
  readonly underWay: UnderWay
  /** Name of this process in claims. */
  readonly node: string
}
