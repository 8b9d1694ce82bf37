/** All tables. Migrations are generated from these exports. */
export {
  accounts,
  bots,
  invites,
  linkCodes,
  linkFailures,
  loginCodes,
  sessions,
  setupCodes,
  tokens,
} from './access'
export { changeCounters, leases, taskRuns } from './coordination'
export { discordClaims, discordCommands, discordSessions, discordStatus } from './discord'
export { deliveries, events, prunedEvents, webhooks } from './events'
export * from './ext'
export {
  bucketFields,
  bucketFriends,
  bucketGroups,
  bucketMembers,
  buckets,
  friendInvites,
  friendNotifyDue,
  friendSides,
  friendships,
} from './friends'
export { autoproxies, guilds, memberGuilds, systemGuilds } from './guilds'
export { importArchive, pendingImports } from './imports'
export { groupMembers, groups, members, proxyTagIndex } from './members'
export { pictures } from './pictures'
export { pinnedMembers, preferences, statusGroups } from './preferences'
export { pushQueue, pushTargets, serverKeys } from './push'
export {
  renderedGroups,
  renderedMemberExts,
  renderedMembers,
  renderedSystems,
} from './renderedJson'
export { messages, switches, switchMembers } from './switches'
export { lastActivity, systemSettings, systems } from './systems'
