import { listAccessRules } from '../../../model/core/privacy'
import { formatInstant } from '../../../model/core/time'
import { group } from '../../../model/groups/group'
import { system } from '../../../model/systems/system'
import {
  type CustomField,
  type Group,
  isListed,
  type Member,
  type PublicFront,
  type PublicSwitch,
  type System,
} from '../../api/types'
import type { Switch } from '../../core/history'
import { redactForPublic, redactMember } from './redact'

/** Stands for a list that a privacy level hides. */
export const hidden = 'hidden'
type OrHidden<T> = T | typeof hidden

/** Everything an anonymous caller sees of a system. */
export interface PublicView {
  readonly system: System
  readonly members: OrHidden<readonly Member[]>
  readonly fields: readonly CustomField[]
  readonly groups: OrHidden<readonly Group[]>
  readonly front: OrHidden<PublicFront | null>
  readonly switches: OrHidden<readonly PublicSwitch[]>
}

export const RECENT_SWITCHES = 5

interface OwnData {
  readonly system: System
  readonly members: readonly Member[]
  readonly fields: readonly CustomField[]
  readonly groups: readonly Group[]
  /** Newest first. */
  readonly switches: readonly Switch[]
  /** Public status texts by the short ID of the fronter. */
  readonly statuses?: ReadonlyMap<string, string>
}

/** Returns what an anonymous caller sees, computed from the owner's data and the current levels. */
export function publicView({
  system: ownSystem,
  members,
  fields,
  groups,
  switches,
  statuses,
}: OwnData): PublicView {
  const ifPublic = <T>(list: SystemList, show: () => T) =>
    isListPublic(ownSystem, list) ? show() : hidden
  const shownFields = isListPublic(ownSystem, 'members')
    ? fields
        .filter(({ privacy }) => privacy === 'public')
        // Only the owner gets the buckets.
        .map(({ buckets: _, ...field }) => field)
    : []
  const listed = new Set(members.filter(isListed).map(({ uuid }) => uuid))
  const byId = new Map(members.map((member) => [member.id, member]))
  const serializeSwitch = ({ id, timestamp, members }: Switch): PublicSwitch => ({
    id,
    timestamp: formatInstant(timestamp),
    members,
  })
  return {
    system: redactForPublic(system, ownSystem),
    members: ifPublic('members', () =>
      members.filter(isListed).map((member) => redactMember(member, shownFields)),
    ),
    fields: shownFields,
    groups: ifPublic('groups', () =>
      groups.filter(isListed).map((listedGroup) => ({
        ...redactForPublic(group, listedGroup),
        members: isOpen(listedGroup)
          ? (listedGroup.members ?? []).filter((uuid) => listed.has(uuid))
          : [],
      })),
    ),
    front: ifPublic('fronters', () => {
      const [latest] = switches
      if (!latest) return null
      const here = latest.members.flatMap((id) => byId.get(id) ?? [])
      return {
        since: formatInstant(latest.timestamp),
        fronters: here.map((fronter) => ({
          member: redactMember(fronter),
          status: statuses?.get(fronter.id) ?? null,
        })),
      }
    }),
    switches: ifPublic('history', () => switches.slice(0, RECENT_SWITCHES).map(serializeSwitch)),
  }
}

/** Everything an anonymous caller learns about a member whose ID it has. */
export interface PublicMember {
  readonly member: Member
  readonly groups: OrHidden<readonly Group[]>
  /** Shown among the fronters while it fronts, listed or not. */
  readonly isInFronters: boolean
  /** Its switches are in the public history, listed or not. */
  readonly isInHistory: boolean
  /** Its times are in the public insights. */
  readonly hasTimes: boolean
}

/** Returns what an anonymous caller learns about a member, computed from the owner's data. */
export function publicMember(
  member: Member,
  { system, groups }: Pick<OwnData, 'system' | 'groups'>,
): PublicMember {
  const isInHistory = isListPublic(system, 'history')
  return {
    member: redactMember(member),
    groups: isListPublic(system, 'groups')
      ? groups
          .filter(
            (listedGroup) =>
              isListed(listedGroup) &&
              isOpen(listedGroup) &&
              listedGroup.members?.includes(member.uuid),
          )
          .map(({ members: _, ...listedGroup }) => redactForPublic(group, listedGroup))
      : hidden,
    isInFronters: isListPublic(system, 'fronters'),
    isInHistory,
    hasTimes: isInHistory && isListed(member),
  }
}

/** Returns the members of a group that an anonymous caller sees. */
export function publicGroupMembers(
  group: Group,
  members: readonly Member[],
): OrHidden<readonly Member[]> {
  if (!isOpen(group)) return hidden
  return members
    .filter((member) => isListed(member) && group.members?.includes(member.uuid))
    .map((member) => redactMember(member))
}

/** Lists of the system that name private members, too, while they are public. */
export const namingLists = ['fronters', 'history'] as const
export type NamingList = (typeof namingLists)[number]

/** Returns the public lists of the system that name private members. */
export function findNamingLists(ownSystem: System | null): NamingList[] {
  return ownSystem ? namingLists.filter((list) => isListPublic(ownSystem, list)) : []
}

type SystemList = 'members' | 'groups' | NamingList

export function isListPublic({ privacy }: System, list: SystemList): boolean {
  return privacy?.[levelOfList(list)] === 'public'
}

export function levelOfList<L extends SystemList>(list: L): (typeof listAccessRules)[L]['level'] {
  return listAccessRules[list].level
}

function isOpen({ privacy }: Group): boolean {
  return privacy?.[listAccessRules.groupMembers.level] === 'public'
}
