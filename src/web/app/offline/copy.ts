import type { Entity } from '../../../model/entity'
import { memberExt } from '../../../model/ext/memberExt'
import { group as groupTable } from '../../../model/group'
import { member as memberTable } from '../../../model/member'
import type { Settings } from '../../../model/settings'
import { system as systemTable } from '../../../model/system'
import {
  type Group,
  groups,
  hasOlder,
  isFromCopy,
  isLoaded,
  type Member,
  members,
  type Preferences,
  preferences,
  recordedStatuses,
  recordedSwitches,
  type System,
  settings,
  system,
} from '../store'
import type { MemberExt } from '../types'
import { type Copied, readCopy } from './device'

/** Contents of the copy: what Now, Members and History show, without pictures and texts. */

interface Copy {
  readonly system: Pick<System, 'id' | 'uuid' | 'name' | 'color'>
  readonly members: readonly (Pick<
    Member,
    'id' | 'uuid' | 'name' | 'display_name' | 'pronouns' | 'color'
  > & { readonly ext: Pick<MemberExt, 'kind' | 'archived'> })[]
  readonly groups: readonly Pick<
    Group,
    'id' | 'uuid' | 'name' | 'display_name' | 'color' | 'members' | 'parent' | 'emoji' | 'position'
  >[]
  readonly settings: Settings | null
  readonly preferences: Pick<Preferences, 'pinned' | 'word'>
  readonly statuses: readonly (readonly [string, string])[]
  readonly hasOlder: boolean
}

/** Returns the loaded data in the form of the copy; null before it is loaded. */
export function collectCopy(): (Copy & Copied) | null {
  const us = system.value
  if (!us || !isLoaded.value || isFromCopy.value) return null
  const { id, uuid, name, color } = us
  return {
    system: { id, uuid, name, color },
    members: members.value.map(({ id, uuid, name, display_name, pronouns, color, ext }) => ({
      id,
      uuid,
      name,
      display_name,
      pronouns,
      color,
      ext: { kind: ext?.kind ?? 'member', archived: ext?.archived ?? false },
    })),
    groups: groups.value.map((one) => {
      const { id, uuid, name, display_name, color, members, parent, emoji, position } = one
      return {
        id,
        uuid,
        name,
        display_name,
        color,
        ...(members && { members }),
        ...(parent !== undefined && { parent }),
        ...(emoji !== undefined && { emoji }),
        ...(position !== undefined && { position }),
      }
    }),
    settings: settings.value,
    preferences: { pinned: preferences.value.pinned, word: preferences.value.word },
    statuses: [...recordedStatuses.value],
    hasOlder: hasOlder.value || recordedSwitches.value.length > 200,
  }
}

/** Shows the copy of this system until the server answers. Returns false if there is none. */
export async function restoreCopy(): Promise<boolean> {
  const found = await readCopy()
  if (!found || isLoaded.value) return false
  const copy = found.copied as Copied & Copy
  system.value = { ...blank(systemTable), ...copy.system } as System
  members.value = copy.members.map((one) => {
    const ext = { ...memberExt.defaults, ...one.ext }
    return { ...blank(memberTable), ...one, ext } as Member
  })
  groups.value = copy.groups.map((one) => ({ ...blank(groupTable), ...one }) as Group)
  settings.value = copy.settings
  preferences.value = copy.preferences
  recordedSwitches.value = found.switches
  recordedStatuses.value = new Map(copy.statuses)
  hasOlder.value = copy.hasOlder
  isFromCopy.value = true
  isLoaded.value = true
  return true
}

/** Returns the values of what the copy leaves out. */
function blank({ defaults }: Entity) {
  return { ...defaults, privacy: null, created: null }
}
