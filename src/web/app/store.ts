import { computed, signal } from '@preact/signals'
import type { Settings } from '../../model/settings'
import { formatInstant, parseInstant } from '../../model/time'
import { requestOwn } from './api'
import type { LiveState } from './eventStream'
import { insertSwitch, mergeNewestPage, mergeSwitches, type Switch, type Switches } from './history'
import type { SwitchValues } from './invalidation'
import { language, strings, wordOf } from './strings'
import { fieldsOf, nowInstant } from './time'
import type { Group, Member, System } from './types'

/** Loaded data of the logged-in system. */

export type { Group, Member, System } from './types'

export interface Preferences {
  readonly pinned: readonly string[]
  readonly statuses: readonly string[]
  readonly word: string
}

interface SerializedSwitch {
  readonly id: string
  readonly timestamp: string
  readonly members: readonly (string | Member)[]
}

const defaultPreferences: Preferences = { pinned: [], statuses: [], word: 'members' }

export const system = signal<System | null>(null)
export const members = signal<readonly Member[]>([])
export const groups = signal<readonly Group[]>([])
export const switches = signal<Switches>([])
/** True if the server has older switches than those loaded. */
export const hasOlder = signal(false)
export const preferences = signal<Preferences>(defaultPreferences)
/** The system's word for its members. */
export const memberWord = computed(() => wordOf(preferences.value.word))
export const settings = signal<Settings | null>(null)
/** Increases when an account was linked or unlinked, so that lists of accounts reload. */
export const accountsVersion = signal(0)
export const isLoaded = signal(false)
export const connectionState = signal<LiveState | 'off'>('connecting')

export const membersById = computed(() => new Map(members.value.map((one) => [one.id, one])))

/** Latest switch; null if none was ever logged. */
export const front = computed(() => switches.value[0] ?? null)

/** UUIDs of the members of groups marked as statuses. */
export const statuses = computed(
  () =>
    new Set(
      groups.value
        .filter(({ uuid }) => preferences.value.statuses.includes(uuid))
        .flatMap((group) => group.members ?? []),
    ),
)

/** The page cannot write while the server is unreachable. */
export const isOffline = computed(() => connectionState.value === 'away')

/** False from the moment the device lost its connection until the server answers again. */
export const isDeviceOnline = signal(true)

/** Says why the page cannot write: the device or the server is not connected. */
export function offlineReason(): string {
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

/** True if proxy tags are case-sensitive. */
export const isCaseSensitive = computed(() => settings.value?.case_sensitive_proxy_tags ?? true)

export function nameOf(id: string): string {
  const member = membersById.value.get(id)
  return member?.display_name || member?.name || id
}

const SYSTEM_PATH = 'v2/systems/@me'
const PAGE_SIZE = 100
/** Pages loaded in advance, for the ranking of likely fronters. */
const PAGES_AHEAD = 4

export async function loadAll(): Promise<void> {
  await Promise.all([
    loadSystem(),
    loadMembers(),
    loadGroups(),
    loadSwitches(),
    loadSettings(),
    loadPreferences(),
  ])
  isLoaded.value = true
}

/** Drops the loaded history: after an import none of it is reliable. */
export async function reloadAll(): Promise<void> {
  switches.value = []
  hasOlder.value = false
  await loadAll()
  await loadAhead()
}

/** Loads enough history to rank the likely fronters. */
export async function loadAhead(): Promise<void> {
  for (let page = 1; page < PAGES_AHEAD && hasOlder.value; page++) await loadOlder()
}

export async function loadSystem(): Promise<void> {
  system.value = await requestOwn<System>(SYSTEM_PATH)
}

export async function loadSettings(): Promise<void> {
  settings.value = await requestOwn<Settings>(`${SYSTEM_PATH}/settings`)
}

export async function loadMembers(): Promise<void> {
  members.value = sortByName((await requestOwn<Member[]>(`${SYSTEM_PATH}/members`)) ?? [])
}

export async function loadGroups(): Promise<void> {
  groups.value = sortByName(
    (await requestOwn<Group[]>(`${SYSTEM_PATH}/groups?with_members=true`)) ?? [],
  )
}

export async function loadPreferences(): Promise<void> {
  preferences.value = (await requestOwn<Preferences>('web/preferences')) ?? defaultPreferences
}

export async function savePreferences(patch: Partial<Preferences>): Promise<void> {
  const saved = await requestOwn<Preferences>('web/preferences', { method: 'PATCH', body: patch })
  preferences.value = saved ?? preferences.value
}

/** Loads the newest page; older pages are loaded on demand. */
export async function loadSwitches(): Promise<void> {
  const page =
    (await requestOwn<SerializedSwitch[]>(`${SYSTEM_PATH}/switches?limit=${PAGE_SIZE}`)) ?? []
  const isAll = page.length < PAGE_SIZE
  const known = mergeNewestPage(switches.value, page.map(readSwitch), isAll)
  hasOlder.value = !isAll && (known.length === page.length || hasOlder.value)
  switches.value = known
}

export async function loadOlder(): Promise<void> {
  const oldest = switches.value.at(-1)
  if (!oldest) return
  const before = encodeURIComponent(formatInstant(oldest.timestamp))
  const page =
    (await requestOwn<SerializedSwitch[]>(
      `${SYSTEM_PATH}/switches?limit=${PAGE_SIZE}&before=${before}`,
    )) ?? []
  // The list changed while this page was requested, so the page may not be adjacent any more.
  if (switches.value.at(-1)?.id !== oldest.id) return
  switches.value = mergeSwitches(switches.value, page.map(readSwitch))
  hasOlder.value = page.length === PAGE_SIZE
}

/** Loads older pages until everything since a time is loaded. */
export async function loadBackTo(since: number): Promise<void> {
  while (hasOlder.value && (switches.value.at(-1)?.timestamp ?? since) > since) await loadOlder()
}

export async function loadSwitch(uuid: string): Promise<void> {
  const found = await nullIfNotFound(
    requestOwn<SerializedSwitch>(`${SYSTEM_PATH}/switches/${uuid}`),
  )
  if (found) putSwitch(readSwitch(found))
  else removeSwitchFromStore(uuid)
}

/** ID of a switch until the server has assigned one. */
export const PENDING_SWITCH = 'pending'

export function hasSwitch(id: string): boolean {
  return switches.value.some((one) => one.id === id)
}

/** Returns true if a switch already has the values of an event. */
export function hasValues(id: string, { timestamp, members: uuids }: SwitchValues): boolean {
  const known = switches.value.find((one) => one.id === id)
  if (!known) return false
  const ids = uuids?.map((uuid) => members.value.find((one) => one.uuid === uuid)?.id)
  return (
    (timestamp === undefined || parseInstant(timestamp) === known.timestamp) &&
    (ids === undefined || ids.join() === known.members.join())
  )
}

export function putSwitch(one: Switch): void {
  switches.value = insertSwitch(switches.value, one, hasOlder.value)
}

export function removeSwitchFromStore(id: string): void {
  switches.value = switches.value.filter((one) => one.id !== id)
}

export async function loadMember(uuid: string): Promise<void> {
  const found = await nullIfNotFound(requestOwn<Member>(`v2/members/${uuid}`))
  if (found) putMembers([found])
  else removeMemberFromStore(uuid)
}

/** Removes a deleted member, also from its switches. */
export function removeMemberFromStore(uuid: string): void {
  const deleted = members.value.find((one) => one.uuid === uuid)
  if (!deleted) return
  members.value = members.value.filter((one) => one !== deleted)
  switches.value = switches.value.map((one) => ({
    ...one,
    members: one.members.filter((id) => id !== deleted.id),
  }))
}

/** Stores members from a response. */
export function putMembers(news: readonly Member[]): void {
  const uuids = new Set(news.map(({ uuid }) => uuid))
  members.value = sortByName([...members.value.filter(({ uuid }) => !uuids.has(uuid)), ...news])
}

export function putGroup(news: Group): void {
  const known = groups.value.find(({ uuid }) => uuid === news.uuid)
  const others = groups.value.filter(({ uuid }) => uuid !== news.uuid)
  groups.value = sortByName([...others, { ...news, members: known?.members ?? [] }])
}

export async function loadGroup(uuid: string): Promise<void> {
  const found = await nullIfNotFound(requestOwn<Group>(`v2/groups/${uuid}`))
  if (found) putGroup(found)
  else removeGroupFromStore(uuid)
}

export function removeGroupFromStore(uuid: string): void {
  groups.value = groups.value.filter((one) => one.uuid !== uuid)
}

export async function invalidateAccounts(): Promise<void> {
  accountsVersion.value++
}

/** Removes all data of the system on logout. */
export function clearStore(): void {
  isLoaded.value = false
  system.value = null
  members.value = []
  groups.value = []
  switches.value = []
  hasOlder.value = false
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
