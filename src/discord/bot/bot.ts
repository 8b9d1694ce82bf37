import type { LogChannel } from '../messages/logChannel'
import type { Notices } from '../messages/notices'
import type { Pings } from '../operations/ping'
import type { ChannelQueues } from '../proxying/channelQueues'
import type { IgnoredMessages } from '../proxying/ignoredMessages'
import type { SlowMode } from '../proxying/slowMode'
import type { BotCore } from './core'
import type { InFlight } from './inFlight'

/** The running bot: everything that handlers of events and commands use. */
export interface Bot extends BotCore {
  readonly notices: Notices
  readonly logChannel: LogChannel
  readonly pings: Pings
  readonly slowMode: SlowMode
  readonly ignored: IgnoredMessages
  readonly queues: ChannelQueues
  readonly inFlight: InFlight
  /** Name of this process in claims. */
  readonly node: string
}
