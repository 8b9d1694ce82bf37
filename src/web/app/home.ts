import { effect, signal } from '@preact/signals'
import { ask, isSessionOver, Refused } from './client'
import { dropDrafts } from './drafts'
import { type Followed, follow } from './live'
import { gatherNews, readNews, type Stale } from './news'
import { whileSeen } from './seen'
import {
  forgetAll,
  isLoaded,
  link,
  loadAhead,
  loadAll,
  loadAnew,
  loadGroup,
  loadGroups,
  loadMember,
  loadMembers,
  loadSettings,
  loadSwitch,
  loadSwitches,
  loadSystem,
  noteAccounts,
} from './store'

/** Whether somebody is in, and the one stream by which the page follows what happens. */
export const presence = signal<'asking' | 'in' | 'out' | 'away'>('asking')

/** What comes in one breath is fetched together. */
const BREATH_MS = 60

/**
 * Looks whether a session is there, and begins to follow. Who was in when this browser was last
 * here most likely still is: their things are asked for at once, and tell if that is over.
 */
export async function comeHome(): Promise<void> {
  try {
    if (!wasIn()) await ask('web/session')
    isSessionOver.value = false
    presence.value = 'in'
  } catch (cause) {
    presence.value = cause instanceof Refused && cause.status === 401 ? 'out' : 'away'
  }
}

/** On purpose: nothing is kept for whoever comes next. */
export function leaveHome(): void {
  dropDrafts()
  presence.value = 'out'
}

/** Follows while somebody is in; to be called once. */
export function keepHome(): void {
  let following: Followed | undefined
  let wasLive = false

  const start = (lastEventId?: string) => {
    link.value = 'connecting'
    following = follow({
      path: 'v2/systems/@me/events',
      lastEventId,
      told: ({ name, data }) => gather(readNews(name, data)),
      changed(state) {
        if (state === 'refused') {
          isSessionOver.value = true
          return
        }
        link.value = state === 'connecting' && link.value === 'away' ? 'away' : state
        if (state !== 'live') return
        // Without the number of an event, nobody could say what was missed.
        if (!isLoaded.value || (wasLive && !following?.lastEventId)) load()
        else if (!wasLive) loadSwitches().catch(stayQuiet)
        wasLive = true
      },
    })
  }

  const load = () => loadAll().then(loadAhead).catch(stayQuiet)

  effect(() => {
    if (isSessionOver.value && presence.peek() === 'in') presence.value = 'out'
  })

  effect(() => {
    if (presence.value === 'in') {
      noteIn(true)
      wasLive = false
      load()
      start()
      return
    }
    following?.stop()
    following = undefined
    if (presence.value !== 'out') return
    noteIn(false)
    forgetAll()
  })

  let resting: { lastEventId: string | undefined } | undefined
  whileSeen({
    rest() {
      if (!following) return
      resting = { lastEventId: following.lastEventId }
      following.stop()
      following = undefined
      link.value = 'off'
    },
    wake() {
      if (resting && !following && presence.value === 'in') start(resting.lastEventId)
      resting = undefined
    },
  })
  addEventListener('online', () => following?.hurry())
  addEventListener('offline', () => {
    if (!following) return
    const { lastEventId } = following
    following.stop()
    start(lastEventId)
    link.value = 'away'
  })
}

const KEY = 'multitude-in'

/** Some browsers keep nothing. */
function wasIn(): boolean {
  try {
    return localStorage.getItem(KEY) !== null
  } catch {
    return false
  }
}

function noteIn(isIn: boolean): void {
  try {
    if (isIn) localStorage.setItem(KEY, '')
    else localStorage.removeItem(KEY)
  } catch {}
}

const waiting = signal<readonly Stale[]>([])

function gather(news: Stale | null): void {
  if (!news) return
  if (waiting.value.length === 0) setTimeout(fetchNews, BREATH_MS)
  waiting.value = [...waiting.value, news]
}

async function fetchNews(): Promise<void> {
  const news = gatherNews(waiting.value)
  waiting.value = []
  await Promise.all(news.map((one) => fetchOne(one).catch(stayQuiet)))
}

function fetchOne(one: Stale): Promise<void> {
  if (one.kind === 'switch') return loadSwitch(one.uuid)
  if (one.kind === 'member') return loadMember(one.uuid)
  if (one.kind === 'group') return loadGroup(one.uuid)
  const lists = {
    system: loadSystem,
    settings: loadSettings,
    accounts: noteAccounts,
    members: loadMembers,
    groups: loadGroups,
    switches: loadSwitches,
    all: loadAnew,
  }
  return lists[one.kind]()
}

/** Whoever is away is told so by the stream; there is nothing to add here. */
function stayQuiet(): void {}
