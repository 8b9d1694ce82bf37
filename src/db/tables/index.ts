/** Every table there is: migrations are made from what this names. */
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
export { deliveries, events, prunedEvents, webhooks } from './events'
export { groupFaces, memberFaces, systemFaces } from './faces'
export { autoproxies, guilds, memberGuilds, systemGuilds } from './guilds'
export { messages, switches, switchMembers } from './history'
export { archive, imports } from './imports'
export { groupMembers, groups, members, proxyTagKeys } from './members'
export { pinnedMembers, preferences, statusGroups } from './preferences'
export { leases, marks, reports } from './processes'
export { pastActivity, systemSettings, systems } from './systems'
