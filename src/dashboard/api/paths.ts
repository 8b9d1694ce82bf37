import type { Settings } from '../../model/systems/settings'
import type { Path } from './json'
import type {
  Group,
  Preferences,
  Registration,
  SerializedFront,
  SerializedGroup,
  SerializedMember,
  SerializedSwitch,
  System,
  Unread,
} from './types'

/** Paths that the first script and the service worker need; `resources.ts` has all others. */

export const EXT = 'ext/v1/'
export const EXT_SYSTEM = `${EXT}systems/@me`

export const systemPath: Path<System> = 'v2/systems/@me'
export const settingsPath: Path<Settings> = `${systemPath}/settings`
export const membersPath: Path<readonly SerializedMember[]> = `${EXT_SYSTEM}/members`
export const groupsPath: Path<readonly SerializedGroup[]> = `${EXT_SYSTEM}/groups`
export const frontPath: Path<SerializedFront> = `${EXT_SYSTEM}/front`
export const unreadPath: Path<Unread> = `${EXT_SYSTEM}/posts/unread`
/** Also the path of a new switch. */
export const switchesPath: string = `${systemPath}/switches`
export const eventsPath = `${systemPath}/events`
export const preferencesPath: Path<Preferences> = 'web/preferences'
export const sessionPath = 'web/session'
export const registrationPath: Path<Registration> = 'web/registration'

/** Path of a member with what the extension API adds to it. */
export function memberPath(uuid: string): Path<SerializedMember> {
  return `${EXT}members/${uuid}`
}

export function groupPath(uuid: string): Path<Group> {
  return `v2/groups/${uuid}`
}

export function switchPath(id: string): Path<SerializedSwitch> {
  return `${switchesPath}/${id}`
}

/** Path that also takes the statuses of the fronters. */
export function switchWithStatusesPath(uuid: string): Path<SerializedSwitch> {
  return `${EXT_SYSTEM}/switches/${uuid}`
}
