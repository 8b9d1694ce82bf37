import { applicationPage } from '../../model/core/discord'
import { version } from '../../runtime/version'

/**
 * Header of every request and connection to Discord, in the form that Discord requires. Its address
 * leads to the operator, who answers for the bot: the public address of the server or, without one,
 * the page of the application.
 */
export function formatUserAgent(publicUrl: string, applicationId: string | null): string {
  return `DiscordBot (${publicUrl || applicationPage(applicationId)}, ${version})`
}
