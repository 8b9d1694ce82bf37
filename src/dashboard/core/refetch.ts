import { signal } from '@preact/signals'
import { runningChanges } from './api'
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
  await Promise.all(news.map((one) => refetch(one).catch(ignoreError)))
}

async function refetch(one: Invalidation): Promise<void> {
  if (one.kind === 'switch') {
    await loadStatuses()
    if (one.isDeleted) return removeSwitchFromStore(one.uuid)
    // The page made this change itself and got it in the response.
    return hasValues(one.uuid, one.now) ? undefined : await loadSwitch(one.uuid)
  }
  if (one.kind === 'member')
    return one.isDeleted ? removeMemberFromStore(one.uuid) : await loadMember(one.uuid)
  if (one.kind === 'group')
    return one.isDeleted ? removeGroupFromStore(one.uuid) : await loadGroup(one.uuid)
  increaseVersion(one.kind)
  await lists[one.kind]?.()
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
