import { eq, inArray } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { pinnedMembers, preferences, statusGroups } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleGroups, visibleMembers } from '../../db/visible'
import { DEFAULT_WORD, type Preferences } from '../../model/access/preferences'
import { makeCustomFronts } from '../members/memberExts'

export async function preferencesOf(db: Db, system: number): Promise<Preferences> {
  const pinned = await pinnedOf(db).all({ system })
  const statuses = await statusesOf(db).all({ system })
  return {
    pinned: pinned.map(({ uuid }) => uuid),
    statuses: statuses.map(({ uuid }) => uuid),
    word: (await wordOf(db).get({ system }))?.word ?? DEFAULT_WORD,
  }
}

/** Returns the preferences; null if all have their defaults. */
export async function findPreferences(db: Db, systemId: number): Promise<Preferences | null> {
  const all = await preferencesOf(db, systemId)
  const isUnset = all.word === DEFAULT_WORD && all.pinned.length === 0 && all.statuses.length === 0
  return isUnset ? null : all
}

/**
 * Stores preferences of an import file where none are set. Returns whether any were stored. Events
 * of an import are recorded by the import.
 */
export async function fillPreferences(
  tx: Db,
  system: number,
  { word, pinned, statuses }: { word?: string; pinned: number[]; statuses: number[] },
): Promise<boolean> {
  const stored = await preferencesOf(tx, system)
  const isNewWord = word !== undefined && word !== stored.word && stored.word === DEFAULT_WORD
  if (isNewWord) await setWord(tx, system, word)
  const members = stored.pinned.length === 0 ? pinned : []
  const groups = stored.statuses.length === 0 ? statuses : []
  await markRows(tx, members, groups)
  await makeCustomFronts(tx, groups)
  return isNewWord || members.length > 0 || groups.length > 0
}

/** Pins members and lists groups as statuses, in their order. */
export async function markRows(tx: Db, members: number[], groups: number[]): Promise<void> {
  for (const [position, id] of members.entries()) await pin(tx).run({ id, position })
  for (const [position, id] of groups.entries()) await mark(tx).run({ id, position })
}

export function setWord(tx: Db, system: number, word: string): MaybePromise<unknown> {
  return replaceWord(tx).run({ system, word })
}

export function unpinAll(tx: Db, system: number): MaybePromise<unknown> {
  return removePins(tx).run({ system })
}

export function unmarkAll(tx: Db, system: number): MaybePromise<unknown> {
  return removeMarks(tx).run({ system })
}

const wordOf = query((db, { system }: Placeholders<'system'>) =>
  db.select({ word: preferences.word }).from(preferences).where(eq(preferences.system_id, system)),
)

const replaceWord = query((db, { system, word }: Placeholders<'system' | 'word'>) =>
  db
    .insert(preferences)
    .values({ system_id: system, word })
    .onConflictDoUpdate({ target: preferences.system_id, set: { word } }),
)

const pinnedOf = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ uuid: visibleMembers.uuid })
    .from(visibleMembers)
    .innerJoin(pinnedMembers, eq(pinnedMembers.member_id, visibleMembers.id))
    .where(eq(visibleMembers.system_id, system))
    .orderBy(pinnedMembers.position),
)

const statusesOf = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ uuid: visibleGroups.uuid })
    .from(visibleGroups)
    .innerJoin(statusGroups, eq(statusGroups.group_id, visibleGroups.id))
    .where(eq(visibleGroups.system_id, system))
    .orderBy(statusGroups.position),
)

const removePins = query((db, { system }: Placeholders<'system'>) => {
  const { id, system_id } = visibleMembers
  const memberIds = db.select({ id }).from(visibleMembers).where(eq(system_id, system))
  return db.delete(pinnedMembers).where(inArray(pinnedMembers.member_id, memberIds))
})

const removeMarks = query((db, { system }: Placeholders<'system'>) => {
  const { id, system_id } = visibleGroups
  const groupIds = db.select({ id }).from(visibleGroups).where(eq(system_id, system))
  return db.delete(statusGroups).where(inArray(statusGroups.group_id, groupIds))
})

/** Ignores a repeated member, so that it keeps its first position. */
const pin = query((db, { id, position }: Placeholders<'id' | 'position'>) =>
  db.insert(pinnedMembers).values({ member_id: id, position }).onConflictDoNothing(),
)

const mark = query((db, { id, position }: Placeholders<'id' | 'position'>) =>
  db.insert(statusGroups).values({ group_id: id, position }).onConflictDoNothing(),
)
