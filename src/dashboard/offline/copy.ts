import type { Group, Member, MemberExt, System } from '../api/types'
import {
  groups,
  hasOlder,
  isFromCopy,
  isLoaded,
  members,
  PENDING_SWITCH,
  preferences,
  recordedStatuses,
  recordedSwitches,
  settings,
  system,
} from '../core/store'
import { type Copied, readCopy } from './device'

/** Contents of the copy: what Now, Members and History show, without pictures and texts. */

const kept = {
  system: ['id', 'uuid', 'name', 'color'],
  member: ['id', 'uuid', 'name', 'display_name', 'pronouns', 'color'],
  memberExt: ['kind', 'archived'],
  group: [
    ...(['id', 'uuid', 'name', 'display_name', 'color'] as const),
    ...(['members', 'parent', 'emoji', 'position'] as const),
  ],
} satisfies {
  readonly system: readonly (keyof System)[]
  readonly member: readonly (keyof Member)[]
  readonly memberExt: readonly (keyof MemberExt)[]
  readonly group: readonly (keyof Group)[]
}

/** Returns the loaded data of a system in the form of the copy; null if it is not loaded. */
export function collectCopy(uuid: string) {
  const us = system.value
  if (us?.uuid !== uuid || !isLoaded.value || isFromCopy.value) return null
  const { pinned, word } = preferences.value
  return {
    copied: {
      system: keepOnly(us, kept.system),
      members: members.value.map((member) => ({
        ...keepOnly(member, kept.member),
        ...(member.ext && { ext: { ...keepOnly(member.ext, kept.memberExt), fields: {} } }),
      })),
      groups: groups.value.map((group) => keepOnly(group, kept.group)),
      settings: settings.value,
      preferences: { pinned, word },
      statuses: [...recordedStatuses.value],
      hasOlder: hasOlder.value,
    },
    switches: recordedSwitches.value.filter(({ id }) => id !== PENDING_SWITCH),
  }
}

/** Shows the copy until the server answers. */
export async function restoreCopy(): Promise<void> {
  const stored = await readCopy()
  if (!stored || isLoaded.value) return
  const copy = stored.copied as NonNullable<ReturnType<typeof collectCopy>>['copied'] & Copied
  system.value = copy.system
  members.value = copy.members
  groups.value = copy.groups
  settings.value = copy.settings
  preferences.value = copy.preferences
  recordedSwitches.value = stored.switches
  recordedStatuses.value = new Map(copy.statuses)
  hasOlder.value = copy.hasOlder
  isFromCopy.value = true
  isLoaded.value = true
}

/** Replaces all values but these by empty ones. */
function keepOnly<T extends object>(object: T, keys: readonly (keyof T)[]): T {
  const entries = Object.entries(object).map(([key, value]) => [
    key,
    keys.some((other) => other === key) ? value : emptyOf(value),
  ])
  return Object.fromEntries(entries) as T
}

function emptyOf(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (typeof value === 'number') return 0
  return typeof value === 'boolean' ? false : null
}
