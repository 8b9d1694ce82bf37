import { computed, signal } from '@preact/signals'
import { formatInstant, type Instant, parseInstant } from '../../model/core/time'
import type { Settings } from '../../model/systems/settings'
import { request } from '../api/client'
import {
  frontPath,
  groupPath,
  groupsPath,
  memberPath,
  membersPath,
  preferencesPath,
  settingsPath,
  switchesPath,
  switchPath,
  systemPath,
  unreadPath,
} from '../api/paths'
import {
  type FronterStatus,
  type Group,
  isArchived,
  isCustomFront,
  type Member,
  type Preferences,
  type SerializedGroup,
  type SerializedMember,
  type SerializedSwitch,
  type System,
} from '../api/types'
import { fieldsOf, nowInstant } from '../lib/time'
import { language, strings, wordOf } from '../texts/texts'
import type { LiveState } from './eventStream'
import { insertSwitch, mergeNewestPage, mergeSwitches, type Switch, type Switches } from './history'
import type { Invalidation, PageData, SwitchValues } from './invalidation'
import type { SwitchChange } from './toastStorage'

/** Loaded data of the logged-in system. */

/** Queue of switches on a device that keeps a copy. Its code is loaded with the session. */
export interface SwitchQueue {
  /** Switches can be added without network. */
  readonly canAdd: boolean
  /** Switches wait for the network or for a decision of the person. */
  readonly isStuck: boolean
  /** Adds waiting changes to what the server has. */
  apply(recorded: Switches): Switches
  applyStatuses(recorded: ReadonlyMap<string, string>): ReadonlyMap<string, string>
  add(
    members: readonly string[],
    at: Instant | null,
    statuses: readonly FronterStatus[],
  ): Promise<{ readonly id: string }>
  /** Removes a switch of this device, or queues its deletion if it may have been sent. */
  remove(id: string): Promise<void>
  /** Returns true if the switch waits, and changes it. */
  change(id: string, change: SwitchChange): Promise<boolean>
  has(id: string): boolean
  /** Returns the statuses of a waiting switch. */
  statusesOf(id: string): readonly FronterStatus[]
  /** Returns the text beside disabled buttons: how many switches wait, and why. */
  statusText(): string
}
export const switchQueue = signal<SwitchQueue | null>(null)
/** Settled when the queue is known. */
export const queueReady = signal<Promise<unknown> | null>(null)

const defaultPreferences: Preferences = { pinned: [], word: 'members' }

export const system = signal<System | null>(null)
export const members = signal<readonly Member[]>([])
export const groups = signal<readonly Group[]>([])
/** Switches as the server has them. */
export const recordedSwitches = signal<Switches>([])
/** Switches, including those that wait on this device. */
export const switches = computed(
  () => switchQueue.value?.apply(recordedSwitches.value) ?? recordedSwitches.value,
)
/** True if the server has older switches than those loaded. */
export const hasOlder = signal(false)
export const preferences = signal<Preferences>(defaultPreferences)
/** The system's word for its members. */
export const memberWord = computed(() => wordOf(preferences.value.word))
export const settings = signal<Settings | null>(null)
/** Status texts of the present fronters by the ID of the member. */
export const frontStatuses = computed(
  () => switchQueue.value?.applyStatuses(recordedStatuses.value) ?? recordedStatuses.value,
)
export const recordedStatuses = signal<ReadonlyMap<string, string>>(new Map())
/** Numbers of unread posts by the UUID of the member on whose board they are. */
export const unreadPosts = signal<Readonly<Record<string, number>>>({})
export const isLoaded = signal(false)
/** The data comes from the copy on this device, because the server did not answer. */
export const isFromCopy = signal(false)
export const connectionState = signal<LiveState | 'off'>('connecting')

export const membersById = computed(
  () => new Map(members.value.map((member) => [member.id, member])),
)

/** Latest switch; null if none was ever logged. */
export const front = computed(() => switches.value[0] ?? null)

export const customFronts = computed(() =>
  members.value.filter((member) => isCustomFront(member) && !isArchived(member)),
)

const versions = signal<Readonly<Record<string, number>>>({})

/** Returns a number that changes when the data does, so that pages load it again. */
export function versionOf(kind: PageData): number {
  return (versions.value[kind] ?? 0) + (versions.value.all ?? 0)
}

export function increaseVersion(kind: Invalidation['kind']): void {
  versions.value = { ...versions.value, [kind]: (versions.value[kind] ?? 0) + 1 }
}

/** The page cannot write while the server is unreachable. */
export const isOffline = computed(() => connectionState.value === 'away')

/** Switches can be logged: the server answers, or the device keeps them until it does. */
export const canLog = computed(() => !isOffline.value || (switchQueue.value?.canAdd ?? false))

/** False from the moment the device lost its connection until the server answers again. */
export const isDeviceOnline = signal(true)

/** Says why the page cannot write: the device or the server is not connected. */
export function offlineReason(): string {
  if (switchQueue.value?.canAdd) return switchQueue.value.statusText()
  return isDeviceOnline.value ? strings.serverAway : strings.youAreOffline
}

/** UTC is the server's default, so it is taken as "not set" and the device's time zone is used. */
export const zone = computed(() => {
  const set = settings.value?.timezone ?? 'UTC'
  return set === 'UTC' ? deviceZone() : set
})

export function deviceZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** It is another time in the system's time zone than on this device. */
export const isForeignZone = computed(() => {
  const at = nowInstant()
  const [there, here] = [fieldsOf(at, zone.value), fieldsOf(at, deviceZone())]
  return there.time !== here.time || there.date !== here.date
})

export const isCaseSensitive = computed(() => settings.value?.case_sensitive_proxy_tags ?? true)

export function displayName({ display_name, name }: Member): string {
  return display_name || name
}

export function nameOf(id: string): string {
  const member = membersById.value.get(id)
  return member ? displayName(member) : id
}

const PAGE_SIZE = 100
/** Pages loaded in advance, for the ranking of likely fronters. */
const PAGES_AHEAD = 4

export async function loadAll(): Promise<void> {
  const wasFromCopy = isFromCopy.value
  await Promise.all([
    loadSystem(),
    loadMembers(),
    loadGroups(),
    loadSwitches(),
    loadStatuses(),
    loadUnreadPosts(),
    loadSettings(),
    loadPreferences(),
  ])
  // The copy has replaced what arrived before it.
  if (isFromCopy.value && !wasFromCopy) return await loadAll()
  isFromCopy.value = false
  isLoaded.value = true
}

/** Drops the loaded history: after an import none of it is reliable. */
export async function reloadAll(): Promise<void> {
  recordedSwitches.value = []
  hasOlder.value = false
  await loadAll()
  await loadAhead()
}

/** Loads enough history to rank the likely fronters. */
export async function loadAhead(): Promise<void> {
  const loaded = recordedSwitches.value.length / PAGE_SIZE
  for (let page = loaded; page < PAGES_AHEAD && hasOlder.value; page++) await loadOlder()
}

export async function loadSystem(): Promise<void> {
  system.value = await request(systemPath)
}

export async function loadSettings(): Promise<void> {
  settings.value = await request(settingsPath)
}

/** Returns a member as the extension API serializes it with what it adds to the member of v2. */
export function readMember({ member, ...ext }: SerializedMember): Member {
  return { ...member, ext }
}

export async function loadMembers(): Promise<void> {
  const all = (await request(membersPath)) ?? []
  members.value = sortByName(all.map(readMember))
}

/** Returns a group as the extension API serializes it with what it adds to the group of v2. */
export function readGroup({ group, ...ext }: SerializedGroup): Group {
  return { ...group, ...ext }
}

export async function loadGroups(): Promise<void> {
  const all = (await request(groupsPath)) ?? []
  groups.value = sortByName(all.map(readGroup))
}

export async function loadUnreadPosts(): Promise<void> {
  unreadPosts.value = (await request(unreadPath)) ?? {}
}

export async function loadStatuses(): Promise<void> {
  const { fronters = [] } = (await request(frontPath)) ?? {}
  recordedStatuses.value = new Map(
    fronters.flatMap(({ member, status }) => (status === null ? [] : [[member.id, status]])),
  )
}

export async function loadPreferences(): Promise<void> {
  preferences.value = (await request(preferencesPath)) ?? defaultPreferences
}

export async function savePreferences(patch: Partial<Preferences>): Promise<void> {
  const saved = await request(preferencesPath, { method: 'PATCH', body: patch })
  preferences.value = saved ?? preferences.value
}

/** Loads the newest page; older pages are loaded on demand. */
export async function loadSwitches(): Promise<void> {
  const { page, changes } = await requestSwitches('')
  const isAll = page.length < PAGE_SIZE
  const entries = mergeNewestPage(recordedSwitches.value, page, isAll)
  hasOlder.value = !isAll && (entries.length === page.length || hasOlder.value)
  setSwitches(entries, changes)
}

export async function loadOlder(): Promise<void> {
  const oldest = recordedSwitches.value.at(-1)
  if (!oldest) return
  const before = encodeURIComponent(formatInstant(oldest.timestamp))
  const { page, changes } = await requestSwitches(`&before=${before}`)
  // The list changed while this page was requested, so the page may not be adjacent any more.
  if (recordedSwitches.value.at(-1)?.id !== oldest.id) return
  hasOlder.value = page.length === PAGE_SIZE
  setSwitches(mergeSwitches(recordedSwitches.value, page), changes)
}

/** New values of switches by ID; null if a switch was deleted. */
type Changes = Map<string, Switch | null>

/** Changes made while each page of switches is requested; the page may be older than they are. */
const requestedPages = signal<readonly Changes[]>([])

async function requestSwitches(query: string) {
  const changes: Changes = new Map()
  // An effect that loads the switches must not run again because of this.
  requestedPages.value = [...requestedPages.peek(), changes]
  try {
    const path = `${switchesPath}?limit=${PAGE_SIZE}${query}`
    const page = (await request<SerializedSwitch[]>(path)) ?? []
    return { page: page.map(readSwitch), changes }
  } finally {
    requestedPages.value = requestedPages.peek().filter((requested) => requested !== changes)
  }
}

function setSwitches(all: Switches, changes: Changes): void {
  for (const [id, entry] of changes)
    all = entry ? insertSwitch(all, entry, hasOlder.value) : all.filter((other) => other.id !== id)
  recordedSwitches.value = all
}

function changeSwitch(id: string, entry: Switch | null): void {
  for (const changes of requestedPages.peek()) changes.set(id, entry)
  setSwitches(recordedSwitches.value, new Map([[id, entry]]))
}

/** Loads older pages until everything since a time is loaded. */
export async function loadBackTo(since: number): Promise<void> {
  while (hasOlder.value && (recordedSwitches.value.at(-1)?.timestamp ?? since) > since)
    await loadOlder()
}

export async function loadSwitch(uuid: string): Promise<void> {
  const serialized = await nullIfNotFound(request(switchPath(uuid)))
  if (serialized) putSwitch(readSwitch(serialized))
  else removeSwitchFromStore(uuid)
}

/** ID of a switch until the server has assigned one. */
export const PENDING_SWITCH = 'pending'

/** Returns true if a switch already has the values of an event. */
export function hasValues(id: string, { timestamp, members: uuids }: SwitchValues): boolean {
  const entry = switches.value.find((row) => row.id === id)
  if (!entry) return false
  const ids = uuids?.map((uuid) => members.value.find((member) => member.uuid === uuid)?.id)
  return (
    (timestamp === undefined || parseInstant(timestamp) === entry.timestamp) &&
    (ids === undefined || ids.join() === entry.members.join())
  )
}

export function putSwitch(entry: Switch): void {
  changeSwitch(entry.id, entry)
}

export function removeSwitchFromStore(id: string): void {
  changeSwitch(id, null)
}

export async function loadMember(uuid: string): Promise<void> {
  const member = await nullIfNotFound(request(memberPath(uuid)))
  if (member) putMembers([readMember(member)])
  else removeMemberFromStore(uuid)
}

/** Removes a deleted member, also from its switches. */
export function removeMemberFromStore(uuid: string): void {
  const deleted = members.value.find((member) => member.uuid === uuid)
  if (!deleted) return
  members.value = members.value.filter((member) => member !== deleted)
  recordedSwitches.value = recordedSwitches.value.map((entry) => ({
    ...entry,
    members: entry.members.filter((id) => id !== deleted.id),
  }))
}

/** Stores members from a response; one of v2 leaves what the extension API adds unchanged. */
export function putMembers(news: readonly Member[]): void {
  const byUuid = new Map(members.value.map((member) => [member.uuid, member]))
  for (const member of news)
    byUuid.set(member.uuid, { ext: byUuid.get(member.uuid)?.ext, ...member })
  members.value = sortByName([...byUuid.values()])
}

export function putGroup(news: Group): void {
  const group = groups.value.find(({ uuid }) => uuid === news.uuid)
  const others = groups.value.filter(({ uuid }) => uuid !== news.uuid)
  groups.value = sortByName([...others, { members: [], ...group, ...news }])
}

export async function loadGroup(uuid: string): Promise<void> {
  const group = await nullIfNotFound(request(groupPath(uuid)))
  if (group) putGroup(group)
  else removeGroupFromStore(uuid)
}

/** Removes a deleted group; its parent contains its children from then on. */
export function removeGroupFromStore(uuid: string): void {
  const deleted = groups.value.find((group) => group.uuid === uuid)
  groups.value = groups.value
    .filter((group) => group !== deleted)
    .map((group) => (group.parent === uuid ? { ...group, parent: deleted?.parent ?? null } : group))
}

export function clearStore(): void {
  isLoaded.value = false
  isFromCopy.value = false
  system.value = null
  members.value = []
  groups.value = []
  recordedSwitches.value = []
  hasOlder.value = false
  recordedStatuses.value = new Map()
  unreadPosts.value = {}
  preferences.value = defaultPreferences
  settings.value = null
}

export function readSwitch({ id, timestamp, members }: SerializedSwitch): Switch {
  return {
    id,
    timestamp: parseInstant(timestamp) ?? 0,
    members: members.map((member) => (typeof member === 'string' ? member : member.id)),
  }
}

export type { SerializedSwitch }

function nullIfNotFound<T>(response: Promise<T | null>): Promise<T | null> {
  return response.catch((cause: unknown) => {
    if (cause instanceof Error && 'status' in cause && cause.status === 404) return null
    throw cause
  })
}

function sortByName<T extends { name: string; display_name: string | null }>(all: T[]): T[] {
  const collator = new Intl.Collator(language.value, { sensitivity: 'base', numeric: true })
  return all.sort((a, b) => collator.compare(a.display_name || a.name, b.display_name || b.name))
}
