import { version } from '../version'

/** Header of every request and connection to Discord, in the form that Discord requires. */
export function formatUserAgent(url: string): string {
  return `DiscordBot (${url}, ${version})`
}
