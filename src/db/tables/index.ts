/** All tables. Migrations are generated from these exports. */
export {
  accounts,
  bots,
  invites,
  linkCodes,
  linkFailures,
  loginCodes,
  sessions,
  tokens,
} from './access'
export { leases, marks, reports } from './coordination'
export { deliveries, events, prunedEvents, webhooks } from './events'
export { autoproxies, guilds, memberGuilds, systemGuilds } from './guilds'
export { archive, imports } from './imports'
export { groupMembers, groups, members, proxyTagKeys } from './members'
export { pinnedMembers, preferences, statusGroups } from './preferences'
export { renderedGroups, renderedMembers, renderedSystems } from './renderedJson'
export { messages, switches, switchMembers } from './switches'
export { pastActivity, systemSettings, systems } from './systems'
