import { signal } from '@preact/signals'

/**
 * Entries of the browser's history. They are numbered, so that the direction of a navigation is
 * known, and an open sheet has one of its own, so that Back closes it and does nothing else.
 */

interface OpenSheet {
  readonly entry: number
  readonly hash: string
  readonly onBack: () => void
}

const sheets = signal<readonly OpenSheet[]>([])

/**
 * `isLeaving` while the page itself goes back over entries of closed sheets; `opened` is the hash of
 * a page that the user opened meanwhile.
 */
const position = { entry: 0, isLeaving: false, opened: '' }
const afterLeaving = signal<readonly (() => void)[]>([])

/** Returns true until a step back over closed sheets has taken effect; it changes the address. */
export function isLeavingSheets(): boolean {
  return position.isLeaving
}

/** Numbers a new entry; one that was reached again keeps its number. */
export function markEntry(): void {
  const reached = entryOf(history.state)
  const isBackward = reached !== null && reached < position.entry
  position.entry = reached ?? position.entry + 1
  if (reached === null) history.replaceState({ entry: position.entry }, '')
  // A page was opened from a sheet, so its entry was left over.
  if (isBackward && isSheetEntry()) leave(1)
}

/** Returns to the current entry after a navigation that was not allowed, in whatever direction. */
export function revertNavigation(): void {
  history.go(position.entry - (entryOf(history.state) ?? position.entry + 1))
}

/** Replaces the address of the page; sheets are closed first, because their entries are above it. */
export function replaceAddress(hash: string, onReplaced: () => void): void {
  const replace = () => {
    history.replaceState({ entry: position.entry }, '', hash)
    onReplaced()
  }
  const count = sheets.value.length
  sheets.value = []
  if (count > 0) leave(count)
  afterwards(replace)
}

/** Adds an entry for a sheet. Returns a function that removes it when the sheet was closed. */
export function openSheetEntry(onBack: () => void): () => void {
  let sheet: OpenSheet | null = null
  let isClosed = false
  afterwards(() => {
    if (isClosed) return
    // Entering the address of the page that is shown adds an entry without a number.
    markEntry()
    position.entry += 1
    history.pushState({ entry: position.entry, isSheet: true }, '')
    sheet = { entry: position.entry, hash: location.hash, onBack }
    sheets.value = [...sheets.value, sheet]
  })
  return () => {
    isClosed = true
    if (!sheet || !sheets.value.includes(sheet)) return
    sheets.value = sheets.value.filter((openSheet) => openSheet !== sheet)
    if (entryOf(history.state) === sheet.entry) leave(1)
  }
}

addEventListener('popstate', ({ state }) => {
  const reached = entryOf(state)
  if (reached === null) {
    if (position.isLeaving) position.opened = location.hash
    return
  }
  if (position.isLeaving) {
    const { opened } = position
    Object.assign(position, { entry: reached, isLeaving: false, opened: '' })
    const actions = afterLeaving.value
    afterLeaving.value = []
    for (const action of actions) action()
    // The step back also left the page that was opened before it took effect.
    if (opened !== '' && opened !== location.hash) history.pushState(null, '', opened)
    return
  }
  const top = sheets.value.at(-1)
  if (!top || reached >= top.entry || top.hash !== location.hash) return
  sheets.value = sheets.value.slice(0, -1)
  position.entry = reached
  top.onBack()
})

/** A traversal takes effect later; until then, nothing may be added to the history. */
function afterwards(action: () => void): void {
  if (position.isLeaving) afterLeaving.value = [...afterLeaving.value, action]
  else action()
}

function leave(count: number): void {
  position.isLeaving = true
  history.go(-count)
}

function isSheetEntry(): boolean {
  return Object(history.state).isSheet === true
}

function entryOf(state: unknown): number | null {
  const { entry } = Object(state)
  return typeof entry === 'number' ? entry : null
}

markEntry()
// The page was reloaded while a sheet was open.
if (isSheetEntry()) leave(1)
