import { computed, signal } from '@preact/signals'
import type { First, Later } from './catalogue'
import { type LanguageCode, languages } from './languages'
import { capitalize, type Word } from './messages'

export type { Word } from './messages'

/**
 * Texts of the page in the language in use. A component that reads a text is rendered again when
 * the language changes.
 */

interface Loaded {
  readonly language: LanguageCode
  readonly first: First
  /** Null until a page needs it. */
  readonly rest: Later | null
}

const loaded = signal<Loaded | null>(null)

/** Language that was requested last. */
const requested = signal<LanguageCode>('en')

export const language = computed<LanguageCode>(() => loaded.value?.language ?? 'en')

/** Loads the texts of a language, and shows them from then on. */
export async function loadStrings(code: LanguageCode): Promise<void> {
  requested.value = code
  const { loadFirst, loadRest } = languages[code]
  const isRestInUse = loaded.peek()?.rest != null
  const [first, rest] = await Promise.all([loadFirst(), isRestInUse ? loadRest() : null])
  if (requested.peek() === code) loaded.value = { language: code, first, rest }
}

/** Loads the texts of the pages that are not in the first script. */
export async function loadRestOfStrings(): Promise<void> {
  const before = loaded.peek()
  if (before === null || before.rest) return
  const rest = await languages[before.language].loadRest()
  // The language may have changed meanwhile.
  if (loaded.peek()?.language !== before.language) return await loadRestOfStrings()
  loaded.value = { ...before, rest }
}

export const strings = sectionOf((all) => all.first.main)
export const listStrings = sectionOf((all) => all.first.list)
export const archiveStrings = sectionOf((all) => restOf(all).archive)
export const bulkStrings = sectionOf((all) => restOf(all).bulk)
export const createStrings = sectionOf((all) => restOf(all).create)
export const editStrings = sectionOf((all) => restOf(all).edit)
export const fieldStrings = sectionOf((all) => restOf(all).fields)
export const friendStrings = sectionOf((all) => restOf(all).friends)
export const frontNoteStrings = sectionOf((all) => restOf(all).frontNotes)
export const groupTreeStrings = sectionOf((all) => restOf(all).groupTree)
export const historyStrings = sectionOf((all) => restOf(all).history)
export const importStrings = sectionOf((all) => restOf(all).importing)
export const importReasons = sectionOf((all) => restOf(all).importReasons)
export const insightsStrings = sectionOf((all) => restOf(all).insights)
export const journalStrings = sectionOf((all) => restOf(all).journal)
export const memberExtStrings = sectionOf((all) => restOf(all).memberExt)
export const memberStrings = sectionOf((all) => restOf(all).member)
export const moreStrings = sectionOf((all) => restOf(all).more)
export const offlineStrings = sectionOf((all) => restOf(all).offline)
export const problemStrings = sectionOf((all) => restOf(all).problems)
export const pictureStrings = sectionOf((all) => restOf(all).pictures)
export const privacyStrings = sectionOf((all) => restOf(all).privacy)
export const publicViewStrings = sectionOf((all) => restOf(all).publicView)
export const reminderStrings = sectionOf((all) => restOf(all).reminders)
export const pushStrings = sectionOf((all) => restOf(all).push)
export const sharingStrings = sectionOf((all) => restOf(all).sharing)
export const systemStrings = sectionOf((all) => restOf(all).system)

function restOf({ rest }: Loaded): Later {
  if (rest === null) throw new Error('the texts of this page are not loaded')
  return rest
}

/** Returns a view of a section that always reads from the language in use. */
function sectionOf<T extends object>(select: (all: Loaded) => T): T {
  return new Proxy({} as T, {
    get(_, key) {
      if (loaded.value === null) throw new Error('no language is loaded')
      const text: unknown = Reflect.get(select(loaded.value), key)
      if (typeof text !== 'function') return text
      return (...args: readonly unknown[]) => text(...args.map(isolate))
    },
  })
}

/** Returns a text by a key that may have none. */
export function findText(texts: object, key: string): string | undefined {
  const text: unknown = Reflect.get(texts, key)
  return typeof text === 'string' ? text : undefined
}

const RIGHT_TO_LEFT =
  /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}|\p{Script=Adlam}/u

/**
 * Isolates a name within a sentence, as `<bdi>` does in elements, where its direction may differ
 * from that of the language; otherwise it would reorder the words around it.
 */
function isolate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(isolate)
  if (typeof value !== 'string' || value === '') return value
  const isMixed = languages[language.value].dir === 'rtl' || RIGHT_TO_LEFT.test(value)
  return isMixed ? `\u2068${value}\u2069` : value
}

/** Joins names: "Wren, Iris and Moss". */
export function listNames(names: readonly string[]): string {
  return strings.listOf(names)
}

/** Returns the forms of a system's word for its members. */
export function wordOf(word: string): Word {
  const known: Readonly<Record<string, Word>> = strings.words
  const found = Object.hasOwn(known, word) ? known[word] : undefined
  return found ?? { ...strings.customWord(word), title: capitalize(word) }
}
