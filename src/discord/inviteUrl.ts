import { INVITE_PERMISSIONS } from './permissions/permission'

/** Address at which a moderator adds the bot to a server. */
export function formatInviteUrl(applicationId: string): string {
  const query = `client_id=${applicationId}&scope=bot+applications.commands&permissions=${INVITE_PERMISSIONS}`
  return `https://discord.com/oauth2/authorize?${query}`
}
