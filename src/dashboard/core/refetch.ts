import { signal } from '@preact/signals'
import { runningChanges } from '../api/client'
import type { StreamEvent } from './eventStream'
import { type Invalidation, invalidationFor, mergeInvalidations } from './invalidation'
import { ignoreError } from './session'
import {
  hasValues,
  increaseVersion,
  loadGroup,
  loadGroups,
  loadMember,
  loadMembers,
  loadPreferences,
  loadSettings,
  loadStatuses,
  loadSwitch,
  loadSwitches,
  loadSystem,
  loadUnreadPosts,
  reloadAll,
  removeGroupFromStore,
  removeMemberFromStore,
  removeSwitchFromStore,
} from './store'

/** Events that arrive within this time are fetched together. */
const DEBOUNCE_MS = 60
/** Limits how long events wait for the responses to changes. */
const MAX_WAITS = 50

const pending = signal<readonly Invalidation[]>([])

/** Loads what an event says has changed. */
export function refetchAfter({ name, data }: StreamEvent): void {
  const news = invalidationFor(name, data)
  if (!news) return
  if (pending.value.length === 0) setTimeout(refetchStale, DEBOUNCE_MS)
  pending.value = [...pending.value, news]
}

async function refetchStale(waits = 0): Promise<void> {
  // The response to a change of this page is on its way and has what the event announces.
  if (runningChanges.value > 0 && waits < MAX_WAITS) {
    setTimeout(refetchStale, DEBOUNCE_MS, waits + 1)
    return
  }
  const news = mergeInvalidations(pending.value)
  pending.value = []
  await Promise.all(news.map((invalidation) => refetch(invalidation).catch(ignoreError)))
}

async function refetch(invalidation: Invalidation): Promise<void> {
  if (invalidation.kind === 'switch') {
    await loadStatuses()
    if (invalidation.isDeleted) return removeSwitchFromStore(invalidation.uuid)
    // The page made this change itself and got it in the response.
    return hasValues(invalidation.uuid, invalidation.now)
      ? undefined
      : await loadSwitch(invalidation.uuid)
  }
  if (invalidation.kind === 'member')
    return invalidation.isDeleted
      ? removeMemberFromStore(invalidation.uuid)
      : await loadMember(invalidation.uuid)
  if (invalidation.kind === 'group')
    return invalidation.isDeleted
      ? removeGroupFromStore(invalidation.uuid)
      : await loadGroup(invalidation.uuid)
  increaseVersion(invalidation.kind)
  await lists[invalidation.kind]?.()
}

const lists: { readonly [K in Invalidation['kind']]?: () => Promise<void> } = {
  system: loadSystem,
  settings: loadSettings,
  members: loadMembers,
  groups: loadGroups,
  switches: () => loadSwitches().then(loadStatuses),
  all: reloadAll,
  frontNotes: loadStatuses,
  posts: loadUnreadPosts,
  archive: loadPreferences,
  // Values change with their fields.
  fields: loadMembers,
  buckets: loadShared,
}

/** Loads what names the buckets it is in. */
async function loadShared(): Promise<void> {
  increaseVersion('fields')
  await Promise.all([loadMembers(), loadGroups()])
}
