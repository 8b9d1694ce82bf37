import type { Config } from '../runtime/config/config'

export interface DiscordOptions {
  /** Secret: never logged and never part of an error. */
  readonly token: string
  /** Prefixes of text commands, compared without regard to case. */
  readonly prefixes: Config['DISCORD_PREFIX']
  /** Guilds in which application commands are registered. */
  readonly commands: Config['DISCORD_COMMANDS']
  readonly shards: Config['DISCORD_SHARDS']
  /** Address of the API, without a slash at the end. */
  readonly api: string
  /** The only origins that attachments and pictures are downloaded from. */
  readonly cdn: Config['DISCORD_CDN']
}

/** Returns the settings of the Discord bot; null without a token. */
export function discordOptions(config: Config): DiscordOptions | null {
  if (config.DISCORD_TOKEN === '') return null
  return {
    token: config.DISCORD_TOKEN,
    prefixes: config.DISCORD_PREFIX,
    commands: config.DISCORD_COMMANDS,
    shards: config.DISCORD_SHARDS,
    api: config.DISCORD_API,
    cdn: config.DISCORD_CDN,
  }
}
