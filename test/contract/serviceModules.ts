import type { Db } from '../../src/db/types'
import type { Viewer } from '../../src/model/core/privacy'
import * as accounts from '../../src/service/access/accounts'
import * as accessBots from '../../src/service/access/bots'
import * as accessCredentials from '../../src/service/access/credentials'
import * as adminInvites from '../../src/service/access/invites'
import * as accessLinkCodes from '../../src/service/access/linkCodes'
import * as accessLoginLinks from '../../src/service/access/loginLinks'
import * as preferences from '../../src/service/access/preferences'
import * as registration from '../../src/service/access/registration'
import * as accessSessions from '../../src/service/access/sessions'
import * as accessSetupCodes from '../../src/service/access/setupCodes'
import * as accessTokens from '../../src/service/access/tokens'
import * as adminBacklog from '../../src/service/admin/backlog'
import * as adminExtTotals from '../../src/service/admin/extTotals'
import * as adminFindLocalServer from '../../src/service/admin/findLocalServer'
import * as adminStats from '../../src/service/admin/stats'
import * as adminTaskRuns from '../../src/service/admin/taskRuns'
import * as corePlainRows from '../../src/service/core/plainRows'
import * as discordBotStatus from '../../src/service/discord/botStatus'
import * as discordClaims from '../../src/service/discord/claims'
import * as discordCommandHashes from '../../src/service/discord/commandHashes'
import * as discordSessions from '../../src/service/discord/sessions'
import * as extBuckets from '../../src/service/friends/buckets'
import * as extFriendInvites from '../../src/service/friends/friendInvites'
import * as extFriends from '../../src/service/friends/friends'
import * as extFriendView from '../../src/service/friends/sharedData'
import * as extFront from '../../src/service/front/front'
import * as extFrontNotes from '../../src/service/front/frontNotes'
import * as history from '../../src/service/front/history'
import * as extPutSwitch from '../../src/service/front/putSwitch'
import * as switches from '../../src/service/front/switches'
import * as extGroups from '../../src/service/groups/extendedGroups'
import * as groups from '../../src/service/groups/groups'
import * as memberships from '../../src/service/groups/memberships'
import * as insights from '../../src/service/insights/insights'
import * as extNotes from '../../src/service/journal/notes'
import * as extPolls from '../../src/service/journal/polls'
import * as extPosts from '../../src/service/journal/posts'
import * as extRooms from '../../src/service/journal/rooms'
import * as extMembers from '../../src/service/members/extendedMembers'
import * as extFields from '../../src/service/members/fields'
import * as members from '../../src/service/members/members'
import * as keptPictures from '../../src/service/pictures/keptPictures'
import * as extPictures from '../../src/service/pictures/pictures'
import * as adminPictureTotals from '../../src/service/pictures/pictureTotals'
import * as autoproxy from '../../src/service/proxy/autoproxy'
import * as proxyDecideMessage from '../../src/service/proxy/decideMessage'
import * as guilds from '../../src/service/proxy/guilds'
import * as messages from '../../src/service/proxy/messages'
import * as proxyRecordMessage from '../../src/service/proxy/recordMessage'
import * as readV2 from '../../src/service/reads/objects'
import * as adminOverdueReminders from '../../src/service/reminders/overdueReminders'
import * as extReminders from '../../src/service/reminders/reminders'
import * as adminDisableSystem from '../../src/service/systems/disableSystem'
import * as extSettings from '../../src/service/systems/extSettings'
import * as settings from '../../src/service/systems/settings'
import * as adminActivity from '../../src/service/systems/systemActivity'
import * as systems from '../../src/service/systems/systems'
import * as transferArchivedRows from '../../src/service/transfer/archive/archivedRows'
import * as transferConvertArchive from '../../src/service/transfer/archive/convertArchive'
import * as transferExport from '../../src/service/transfer/export/export'
import * as transferImport from '../../src/service/transfer/import/import'
import * as transferOrigins from '../../src/service/transfer/import/origins'

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
  'access/accounts.ts': accounts satisfies ServiceModule<typeof accounts>,
  'systems/systemActivity.ts': adminActivity satisfies ServiceModule<typeof adminActivity>,
  'admin/backlog.ts': adminBacklog satisfies ServiceModule<typeof adminBacklog>,
  'systems/disableSystem.ts': adminDisableSystem satisfies ServiceModule<typeof adminDisableSystem>,
  'admin/extTotals.ts': adminExtTotals satisfies ServiceModule<typeof adminExtTotals>,
  'admin/findLocalServer.ts': adminFindLocalServer satisfies ServiceModule<
    typeof adminFindLocalServer
  >,
  'access/invites.ts': adminInvites satisfies ServiceModule<typeof adminInvites>,
  'reminders/overdueReminders.ts': adminOverdueReminders satisfies ServiceModule<
    typeof adminOverdueReminders
  >,
  'pictures/pictureTotals.ts': adminPictureTotals satisfies ServiceModule<
    typeof adminPictureTotals
  >,
  'admin/stats.ts': adminStats satisfies ServiceModule<typeof adminStats>,
  'admin/taskRuns.ts': adminTaskRuns satisfies ServiceModule<typeof adminTaskRuns>,
  'proxy/autoproxy.ts': autoproxy satisfies ServiceModule<typeof autoproxy>,
  'core/plainRows.ts': corePlainRows satisfies ServiceModule<typeof corePlainRows>,
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
  'systems/extSettings.ts': extSettings satisfies ServiceModule<typeof extSettings>,
  'front/front.ts': extFront satisfies ServiceModule<typeof extFront>,
  'front/frontNotes.ts': extFrontNotes satisfies ServiceModule<typeof extFrontNotes>,
  'front/putSwitch.ts': extPutSwitch satisfies ServiceModule<typeof extPutSwitch>,
  'members/fields.ts': extFields satisfies ServiceModule<typeof extFields>,
  'groups/extendedGroups.ts': extGroups satisfies ServiceModule<typeof extGroups>,
  'members/extendedMembers.ts': extMembers satisfies ServiceModule<typeof extMembers>,
  'journal/notes.ts': extNotes satisfies ServiceModule<typeof extNotes>,
  'pictures/keptPictures.ts': keptPictures satisfies ServiceModule<typeof keptPictures>,
  'pictures/pictures.ts': extPictures satisfies ServiceModule<typeof extPictures>,
  'journal/polls.ts': extPolls satisfies ServiceModule<typeof extPolls>,
  'journal/posts.ts': extPosts satisfies ServiceModule<typeof extPosts>,
  'friends/buckets.ts': extBuckets satisfies ServiceModule<typeof extBuckets>,
  'friends/friendInvites.ts': extFriendInvites satisfies ServiceModule<typeof extFriendInvites>,
  'friends/friends.ts': extFriends satisfies ServiceModule<typeof extFriends>,
  'friends/sharedData.ts': extFriendView satisfies ServiceModule<typeof extFriendView>,
  'reminders/reminders.ts': extReminders satisfies ServiceModule<typeof extReminders>,
  'journal/rooms.ts': extRooms satisfies ServiceModule<typeof extRooms>,
  'insights/insights.ts': insights satisfies ServiceModule<typeof insights>,
  'groups/groups.ts': groups satisfies ServiceModule<typeof groups>,
  'proxy/guilds.ts': guilds satisfies ServiceModule<typeof guilds>,
  'front/history.ts': history satisfies ServiceModule<typeof history>,
  'members/members.ts': members satisfies ServiceModule<typeof members>,
  'groups/memberships.ts': memberships satisfies ServiceModule<typeof memberships>,
  'proxy/messages.ts': messages satisfies ServiceModule<typeof messages>,
  'access/preferences.ts': preferences satisfies ServiceModule<typeof preferences>,
  'proxy/decideMessage.ts': proxyDecideMessage satisfies ServiceModule<typeof proxyDecideMessage>,
  'proxy/recordMessage.ts': proxyRecordMessage satisfies ServiceModule<typeof proxyRecordMessage>,
  'reads/objects.ts': readV2 satisfies ServiceModule<typeof readV2>,
  // The code, the invite or the registration mode is the permission.
  'access/registration.ts': registration satisfies ServiceModule<
    typeof registration,
    'createSystemInBrowser' | 'getWebRegistration'
  >,
  'systems/settings.ts': settings satisfies ServiceModule<typeof settings>,
  'front/switches.ts': switches satisfies ServiceModule<typeof switches>,
  'systems/systems.ts': systems satisfies ServiceModule<typeof systems>,
  'transfer/archive/archivedRows.ts': transferArchivedRows satisfies ServiceModule<
    typeof transferArchivedRows
  >,
  'transfer/archive/convertArchive.ts': transferConvertArchive satisfies ServiceModule<
    typeof transferConvertArchive
  >,
  'transfer/export/export.ts': transferExport satisfies ServiceModule<typeof transferExport>,
  'transfer/import/import.ts': transferImport satisfies ServiceModule<typeof transferImport>,
  'transfer/import/origins.ts': transferOrigins satisfies ServiceModule<typeof transferOrigins>,
}
