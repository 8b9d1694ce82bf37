import type { Db } from '../src/db/types'
import type { Viewer } from '../src/model/core/privacy'
import * as accessBots from '../src/service/access/bots'
import * as accessCredentials from '../src/service/access/credentials'
import * as accessLinkCodes from '../src/service/access/linkCodes'
import * as accessLoginLinks from '../src/service/access/loginLinks'
import * as accessSessions from '../src/service/access/sessions'
import * as accessSetupCodes from '../src/service/access/setupCodes'
import * as accessTokens from '../src/service/access/tokens'
import * as accounts from '../src/service/accounts'
import * as adminActivity from '../src/service/admin/activity'
import * as adminBacklog from '../src/service/admin/backlog'
import * as adminDisableSystem from '../src/service/admin/disableSystem'
import * as adminExtTotals from '../src/service/admin/extTotals'
import * as adminFindLocalServer from '../src/service/admin/findLocalServer'
import * as adminInvites from '../src/service/admin/invites'
import * as adminOverdueReminders from '../src/service/admin/overdueReminders'
import * as adminPictureTotals from '../src/service/admin/pictureTotals'
import * as adminStats from '../src/service/admin/stats'
import * as adminTaskRuns from '../src/service/admin/taskRuns'
import * as autoproxy from '../src/service/autoproxy'
import * as discordBotStatus from '../src/service/discord/botStatus'
import * as discordClaims from '../src/service/discord/claims'
import * as discordCommandHashes from '../src/service/discord/commandHashes'
import * as discordSessions from '../src/service/discord/sessions'
import * as extBuckets from '../src/service/ext/buckets'
import * as extSettings from '../src/service/ext/extSettings'
import * as extFields from '../src/service/ext/fields'
import * as extFriendInvites from '../src/service/ext/friendInvites'
import * as extFriends from '../src/service/ext/friends'
import * as extFriendView from '../src/service/ext/friendView'
import * as extFront from '../src/service/ext/front'
import * as extFrontNotes from '../src/service/ext/frontNotes'
import * as extGroups from '../src/service/ext/groups'
import * as extMembers from '../src/service/ext/members'
import * as extNotes from '../src/service/ext/notes'
import * as extPictures from '../src/service/ext/pictures'
import * as extPolls from '../src/service/ext/polls'
import * as extPosts from '../src/service/ext/posts'
import * as extPutSwitch from '../src/service/ext/putSwitch'
import * as extReminders from '../src/service/ext/reminders'
import * as extRooms from '../src/service/ext/rooms'
import * as frontingFronting from '../src/service/fronting/fronting'
import * as groups from '../src/service/groups'
import * as guilds from '../src/service/guilds'
import * as history from '../src/service/history'
import * as members from '../src/service/members'
import * as memberships from '../src/service/memberships'
import * as messages from '../src/service/messages'
import * as preferences from '../src/service/preferences'
import * as proxyDecideMessage from '../src/service/proxy/decideMessage'
import * as proxyRecordMessage from '../src/service/proxy/recordMessage'
import * as readV2 from '../src/service/read/v2'
import * as registration from '../src/service/registration'
import * as settings from '../src/service/settings'
import * as switches from '../src/service/switches'
import * as systems from '../src/service/systems'
import * as transferArchivedRows from '../src/service/transfer/archivedRows'
import * as transferConvertArchive from '../src/service/transfer/convertArchive'
import * as transferExport from '../src/service/transfer/export'
import * as transferImport from '../src/service/transfer/import'
import * as transferOrigins from '../src/service/transfer/origins'

/**
 * Checked by the type checker: functions that other layers can call take `(deps, viewer, …)`, so
 * that they can check the viewer's permission. Functions with a database handle are internal to
 * the service, because other layers have none.
 */
type ServiceModule<Module, Exempt extends keyof Module = never> = {
  [Name in keyof Module]: Name extends Exempt
    ? unknown
    : Module[Name] extends (...args: infer Args) => unknown
      ? Args extends
          | []
          | [unknown, Viewer, ...unknown[]]
          | [Db, ...unknown[]]
          | [unknown, Db, ...unknown[]]
        ? unknown
        : 'must take (deps: Deps, viewer: Viewer, …)'
      : unknown
}

/** Functions that find out who the viewer is. */
type Authentication = 'authenticateCalendar' | 'findBot' | 'findSession' | 'findToken'

/** Every service module that other layers import, by file name. */
export const serviceModules = {
  'access/bots.ts': accessBots satisfies ServiceModule<typeof accessBots>,
  'access/credentials.ts': accessCredentials satisfies ServiceModule<
    typeof accessCredentials,
    Authentication | 'createCredentialCache'
  >,
  'access/linkCodes.ts': accessLinkCodes satisfies ServiceModule<typeof accessLinkCodes>,
  'access/loginLinks.ts': accessLoginLinks satisfies ServiceModule<
    typeof accessLoginLinks,
    'previewLogin'
  >,
  // The proof or the cookie is the permission. Authentication renews the session that it found.
  'access/sessions.ts': accessSessions satisfies ServiceModule<
    typeof accessSessions,
    'openSession' | 'endOwnSession' | 'renewSession'
  >,
  'access/setupCodes.ts': accessSetupCodes satisfies ServiceModule<
    typeof accessSetupCodes,
    'previewSetup'
  >,
  'access/tokens.ts': accessTokens satisfies ServiceModule<typeof accessTokens>,
  'accounts.ts': accounts satisfies ServiceModule<typeof accounts>,
  'admin/activity.ts': adminActivity satisfies ServiceModule<typeof adminActivity>,
  'admin/backlog.ts': adminBacklog satisfies ServiceModule<typeof adminBacklog>,
  'admin/disableSystem.ts': adminDisableSystem satisfies ServiceModule<typeof adminDisableSystem>,
  'admin/extTotals.ts': adminExtTotals satisfies ServiceModule<typeof adminExtTotals>,
  'admin/findLocalServer.ts': adminFindLocalServer satisfies ServiceModule<
    typeof adminFindLocalServer
  >,
  'admin/invites.ts': adminInvites satisfies ServiceModule<typeof adminInvites>,
  'admin/overdueReminders.ts': adminOverdueReminders satisfies ServiceModule<
    typeof adminOverdueReminders
  >,
  'admin/pictureTotals.ts': adminPictureTotals satisfies ServiceModule<typeof adminPictureTotals>,
  'admin/stats.ts': adminStats satisfies ServiceModule<typeof adminStats>,
  'admin/taskRuns.ts': adminTaskRuns satisfies ServiceModule<typeof adminTaskRuns>,
  'autoproxy.ts': autoproxy satisfies ServiceModule<typeof autoproxy>,
  'discord/botStatus.ts': discordBotStatus satisfies ServiceModule<typeof discordBotStatus>,
  // The cleanup is a task of the process, which acts for nobody.
  'discord/claims.ts': discordClaims satisfies ServiceModule<
    typeof discordClaims,
    'startClaimCleanup'
  >,
  'discord/commandHashes.ts': discordCommandHashes satisfies ServiceModule<
    typeof discordCommandHashes
  >,
  'discord/sessions.ts': discordSessions satisfies ServiceModule<typeof discordSessions>,
  'ext/extSettings.ts': extSettings satisfies ServiceModule<typeof extSettings>,
  'ext/front.ts': extFront satisfies ServiceModule<typeof extFront>,
  'ext/frontNotes.ts': extFrontNotes satisfies ServiceModule<typeof extFrontNotes>,
  'ext/putSwitch.ts': extPutSwitch satisfies ServiceModule<typeof extPutSwitch>,
  'ext/fields.ts': extFields satisfies ServiceModule<typeof extFields>,
  'ext/groups.ts': extGroups satisfies ServiceModule<typeof extGroups>,
  'ext/members.ts': extMembers satisfies ServiceModule<typeof extMembers>,
  'ext/notes.ts': extNotes satisfies ServiceModule<typeof extNotes>,
  'ext/pictures.ts': extPictures satisfies ServiceModule<typeof extPictures>,
  'ext/polls.ts': extPolls satisfies ServiceModule<typeof extPolls>,
  'ext/posts.ts': extPosts satisfies ServiceModule<typeof extPosts>,
  'ext/buckets.ts': extBuckets satisfies ServiceModule<typeof extBuckets>,
  'ext/friendInvites.ts': extFriendInvites satisfies ServiceModule<typeof extFriendInvites>,
  'ext/friends.ts': extFriends satisfies ServiceModule<typeof extFriends>,
  'ext/friendView.ts': extFriendView satisfies ServiceModule<typeof extFriendView>,
  'ext/reminders.ts': extReminders satisfies ServiceModule<typeof extReminders>,
  'ext/rooms.ts': extRooms satisfies ServiceModule<typeof extRooms>,
  'fronting/fronting.ts': frontingFronting satisfies ServiceModule<typeof frontingFronting>,
  'groups.ts': groups satisfies ServiceModule<typeof groups>,
  'guilds.ts': guilds satisfies ServiceModule<typeof guilds>,
  'history.ts': history satisfies ServiceModule<typeof history>,
  'members.ts': members satisfies ServiceModule<typeof members>,
  'memberships.ts': memberships satisfies ServiceModule<typeof memberships>,
  'messages.ts': messages satisfies ServiceModule<typeof messages>,
  'preferences.ts': preferences satisfies ServiceModule<typeof preferences>,
  'proxy/decideMessage.ts': proxyDecideMessage satisfies ServiceModule<typeof proxyDecideMessage>,
  'proxy/recordMessage.ts': proxyRecordMessage satisfies ServiceModule<typeof proxyRecordMessage>,
  'read/v2.ts': readV2 satisfies ServiceModule<typeof readV2>,
  // The code, the invite or the registration mode is the permission.
  'registration.ts': registration satisfies ServiceModule<
    typeof registration,
    'createSystemInBrowser' | 'getWebRegistration'
  >,
  'settings.ts': settings satisfies ServiceModule<typeof settings>,
  'switches.ts': switches satisfies ServiceModule<typeof switches>,
  'systems.ts': systems satisfies ServiceModule<typeof systems>,
  'transfer/archivedRows.ts': transferArchivedRows satisfies ServiceModule<
    typeof transferArchivedRows
  >,
  'transfer/convertArchive.ts': transferConvertArchive satisfies ServiceModule<
    typeof transferConvertArchive
  >,
  'transfer/export.ts': transferExport satisfies ServiceModule<typeof transferExport>,
  'transfer/import.ts': transferImport satisfies ServiceModule<typeof transferImport>,
  'transfer/origins.ts': transferOrigins satisfies ServiceModule<typeof transferOrigins>,
}
