import { computed, signal } from '@preact/signals'
import type { Settings } from '../../model/settings'
import { formatInstant, parseInstant } from '../../model/time'
import { requestOwn } from './api'
import type { LiveState } from './eventStream'
import { mergeSwitches, type Switch, type Switches, takeNewest, takeOne } from './history'
import type { Group, Member, System } from './types'

/** What is known of the system that is logged in. */

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

const nothingPreferred: Preferences = { pinned: [], statuses: [], word: 'members' }

export const system = signal<System | null>(null)
export const members = signal<readonly Member[]>([])
export const groups = signal<readonly Group[]>([])
export const switches = signal<Switches>([])
/** Whether there are older switches than those that are known. */
export const hasOlder = signal(false)
export const preferences = signal<Preferences>(nothingPreferred)
export const settings = signal<Settings | null>(null)
/** Goes on whenever an account was linked or unlinked, for whoever shows them. */
export const accountsVersion = signal(0)
export const isLoaded = signal(false)
export const connectionState = signal<LiveState | 'off'>('connecting')

export const membersById = computed(() => new Map(members.value.map((one) => [one.id, one])))

/** Who is here now; null when nothing was ever logged. */
export const front = computed(() => switches.value[0] ?? null)

/** Members of the groups that are marked as statuses, by UUID. */
export const statuses = computed(
  () =>
    new Set(
      groups.value
        .filter(({ uuid }) => preferences.value.statuses.includes(uuid))
        .flatMap((group) => group.members ?? []),
    ),
)

/** Nothing can be written while the server is away. */
export const isOffline = computed(() => connectionState.value === 'away')

/** Who never chose a zone has UTC there: the device knows better. */
export const zone = computed(() => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const set = settings.value?.timezone ?? 'UTC'
  return set === 'UTC' ? own : set
})

/** Whether capitals make a difference in proxy tags. */
export const isCaseSensitive = computed(() => settings.value?.case_sensitive_proxy_tags ?? true)

export function nameOf(id: string): string {
  const member = membersById.value.get(id)
  return member?.display_name || member?.name || id
}

const OWN = 'v2/systems/@me'
const PAGE = 100
/** How many pages are fetched ahead, so that likely ones can be told. */
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

/** After an import nothing that was known counts. */
export async function reloadAll(): Promise<void> {
  switches.value = []
  hasOlder.value = false
  await loadAll()
  await loadAhead()
}

/** Enough of the history to know who is likely to come. */
export async function loadAhead(): Promise<void> {
  for (let page = 1; page < PAGES_AHEAD && hasOlder.value; page++) await loadOlder()
}

export async function loadSystem(): Promise<void> {
  system.value = await requestOwn<System>(OWN)
}

export async function loadSettings(): Promise<void> {
  settings.value = await requestOwn<Settings>(`${OWN}/settings`)
}

export async function loadMembers(): Promise<void> {
  members.value = sortByName((await requestOwn<Member[]>(`${OWN}/members`)) ?? [])
}

export async function loadGroups(): Promise<void> {
  groups.value = sortByName((await requestOwn<Group[]>(`${OWN}/groups?with_members=true`)) ?? [])
}

export async function loadPreferences(): Promise<void> {
  preferences.value = (await requestOwn<Preferences>('web/preferences')) ?? nothingPreferred
}

export async function savePreferences(patch: Partial<Preferences>): Promise<void> {
  const saved = await requestOwn<Preferences>('web/preferences', { method: 'PATCH', body: patch })
  preferences.value = saved ?? preferences.value
}

/** The newest ones; what is older is fetched when somebody looks at it. */
export async function loadSwitches(): Promise<void> {
  const page = (await requestOwn<SerializedSwitch[]>(`${OWN}/switches?limit=${PAGE}`)) ?? []
  const isAll = page.length < PAGE
  const known = takeNewest(switches.value, page.map(readSwitch), isAll)
  hasOlder.value = !isAll && (known.length === page.length || hasOlder.value)
  switches.value = known
}

export async function loadOlder(): Promise<void> {
  const oldest = switches.value.at(-1)
  if (!oldest) return
  const before = encodeURIComponent(formatInstant(oldest.timestamp))
  const page =
    (await requestOwn<SerializedSwitch[]>(`${OWN}/switches?limit=${PAGE}&before=${before}`)) ?? []
  // Somebody else was quicker, or all is known anew: this page might not fit on.
  if (switches.value.at(-1)?.id !== oldest.id) return
  switches.value = mergeSwitches(switches.value, page.map(readSwitch))
  hasOlder.value = page.length === PAGE
}

/** Until everything since a moment is known. */
export async function loadBackTo(since: number): Promise<void> {
  while (hasOlder.value && (switches.value.at(-1)?.timestamp ?? since) > since) await loadOlder()
}

export async function loadSwitch(uuid: string): Promise<void> {
  const found = await orGone(requestOwn<SerializedSwitch>(`${OWN}/switches/${uuid}`))
  if (found) putSwitch(readSwitch(found))
  else removeSwitchFromStore(uuid)
}

export function putSwitch(one: Switch): void {
  switches.value = takeOne(switches.value, one, hasOlder.value)
}

export function removeSwitchFromStore(id: string): void {
  switches.value = switches.value.filter((one) => one.id !== id)
}

export async function loadMember(uuid: string): Promise<void> {
  const found = await orGone(requestOwn<Member>(`v2/members/${uuid}`))
  const others = members.value.filter((one) => one.uuid !== uuid)
  const gone = members.value.find((one) => one.uuid === uuid)
  members.value = found ? sortByName([...others, found]) : others
  if (found || !gone) return
  switches.value = switches.value.map((one) => ({
    ...one,
    members: one.members.filter((id) => id !== gone.id),
  }))
}

/** Takes over some as the server has just told them. */
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
  const found = await orGone(requestOwn<Group>(`v2/groups/${uuid}`))
  if (found) putGroup(found)
  else groups.value = groups.value.filter((one) => one.uuid !== uuid)
}

export async function invalidateAccounts(): Promise<void> {
  accountsVersion.value++
}

/** Nothing of a system stays behind when its people leave. */
export function clearStore(): void {
  isLoaded.value = false
  system.value = null
  members.value = []
  groups.value = []
  switches.value = []
  hasOlder.value = false
  preferences.value = nothingPreferred
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

function orGone<T>(asked: Promise<T | null>): Promise<T | null> {
  return asked.catch((cause: unknown) => {
    if (cause instanceof Error && 'status' in cause && cause.status === 404) return null
    throw cause
  })
}

function sortByName<T extends { name: string; display_name: string | null }>(all: T[]): T[] {
  const collator = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })
  return all.sort((a, b) => collator.compare(a.display_name || a.name, b.display_name || b.name))
}
