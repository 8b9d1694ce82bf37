import { group } from '../../model/group'
import { member } from '../../model/member'
import { listAccessRules } from '../../model/privacy'
import { system } from '../../model/system'
import { formatInstant } from '../../model/time'
import type { Switch } from './history'
import { redactForPublic } from './redact'
import { type Group, isListed, type Member, type System } from './types'

/** What is said in place of a list that a level closes. */
export const hidden = 'hidden'
type OrHidden<T> = T | typeof hidden

/** Who is in front, as it is told to others; null when nothing was ever logged. */
export interface PublicFront {
  readonly id: string
  readonly timestamp: string
  readonly members: readonly Member[]
  /** How many more there are of whom a friend is told nothing. */
  readonly hidden?: number
}

/** A switch as the history has it: who by short ID. */
export interface PublicSwitch {
  readonly id: string
  readonly timestamp: string
  readonly members: readonly string[]
}

/** All that anybody sees of a system. */
export interface PublicView {
  readonly system: System
  readonly members: OrHidden<readonly Member[]>
  readonly groups: OrHidden<readonly Group[]>
  readonly front: OrHidden<PublicFront | null>
  readonly switches: OrHidden<readonly PublicSwitch[]>
}

/** How many switches are shown. */
export const RECENT_SWITCHES = 5

interface Own {
  readonly system: System
  readonly members: readonly Member[]
  readonly groups: readonly Group[]
  /** The newest first. */
  readonly switches: readonly Switch[]
}

/** What a stranger sees of what its owner knows, by the levels as they are now. */
export function publicView({ system: own, members, groups, switches }: Own): PublicView {
  const behind = <T>(gate: 'members' | 'groups' | 'fronters' | 'history', show: () => T) =>
    own.privacy?.[listAccessRules[gate].level] === 'public' ? show() : hidden
  const listed = new Set(members.filter(isListed).map(({ uuid }) => uuid))
  const isOpen = ({ privacy }: Group) => privacy?.[listAccessRules.groupMembers.level] === 'public'
  const byId = new Map(members.map((one) => [one.id, one]))
  const spell = ({ id, timestamp, members }: Switch): PublicSwitch => ({
    id,
    timestamp: formatInstant(timestamp),
    members,
  })
  return {
    system: redactForPublic(system, own),
    members: behind('members', () =>
      members.filter(isListed).map((one) => redactForPublic(member, one)),
    ),
    groups: behind('groups', () =>
      groups.filter(isListed).map((one) => ({
        ...redactForPublic(group, one),
        members: isOpen(one) ? (one.members ?? []).filter((uuid) => listed.has(uuid)) : [],
      })),
    ),
    front: behind('fronters', () => {
      const [latest] = switches
      if (!latest) return null
      const here = latest.members.flatMap((id) => byId.get(id) ?? [])
      return { ...spell(latest), members: here.map((one) => redactForPublic(member, one)) }
    }),
    switches: behind('history', () => switches.slice(0, RECENT_SWITCHES).map(spell)),
  }
}
