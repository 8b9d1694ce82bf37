import { group } from '../../model/group'
import { member } from '../../model/member'
import { listAccessRules } from '../../model/privacy'
import { system } from '../../model/system'
import { formatInstant } from '../../model/time'
import type { Switch } from './history'
import { redactForPublic } from './redact'
import { type Group, isListed, type Member, type System } from './types'

/** Stands for a list that a privacy level hides. */
export const hidden = 'hidden'
type OrHidden<T> = T | typeof hidden

/** Public fronters; null if no switch was ever logged. */
export interface PublicFront {
  readonly id: string
  readonly timestamp: string
  readonly members: readonly Member[]
  /** Number of further fronters that a friend may not see. */
  readonly hidden?: number
}

/** Switch of the public history, with short member IDs. */
export interface PublicSwitch {
  readonly id: string
  readonly timestamp: string
  readonly members: readonly string[]
}

/** Everything an anonymous caller sees of a system. */
export interface PublicView {
  readonly system: System
  readonly members: OrHidden<readonly Member[]>
  readonly groups: OrHidden<readonly Group[]>
  readonly front: OrHidden<PublicFront | null>
  readonly switches: OrHidden<readonly PublicSwitch[]>
}

export const RECENT_SWITCHES = 5

interface OwnData {
  readonly system: System
  readonly members: readonly Member[]
  readonly groups: readonly Group[]
  /** Newest first. */
  readonly switches: readonly Switch[]
}

/** Returns what an anonymous caller sees, computed from the owner's data and the current levels. */
export function publicView({ system: own, members, groups, switches }: OwnData): PublicView {
  const ifPublic = <T>(gate: 'members' | 'groups' | 'fronters' | 'history', show: () => T) =>
    own.privacy?.[listAccessRules[gate].level] === 'public' ? show() : hidden
  const listed = new Set(members.filter(isListed).map(({ uuid }) => uuid))
  const isOpen = ({ privacy }: Group) => privacy?.[listAccessRules.groupMembers.level] === 'public'
  const byId = new Map(members.map((one) => [one.id, one]))
  const serializeSwitch = ({ id, timestamp, members }: Switch): PublicSwitch => ({
    id,
    timestamp: formatInstant(timestamp),
    members,
  })
  return {
    system: redactForPublic(system, own),
    members: ifPublic('members', () =>
      members.filter(isListed).map((one) => redactForPublic(member, one)),
    ),
    groups: ifPublic('groups', () =>
      groups.filter(isListed).map((one) => ({
        ...redactForPublic(group, one),
        members: isOpen(one) ? (one.members ?? []).filter((uuid) => listed.has(uuid)) : [],
      })),
    ),
    front: ifPublic('fronters', () => {
      const [latest] = switches
      if (!latest) return null
      const here = latest.members.flatMap((id) => byId.get(id) ?? [])
      return {
        ...serializeSwitch(latest),
        members: here.map((one) => redactForPublic(member, one)),
      }
    }),
    switches: ifPublic('history', () => switches.slice(0, RECENT_SWITCHES).map(serializeSwitch)),
  }
}
