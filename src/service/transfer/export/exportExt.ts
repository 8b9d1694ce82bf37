import type { Db } from '../../../db/types'
import { EXT_VERSION } from '../../../formats/pluralkit/ext'
import type { ExtSnapshot } from '../../../formats/pluralkit/write'
import { serializeFields } from '../../../model/core/entity'
import { groupExt } from '../../../model/groups/groupExt'
import { type OwnedList, ownedKind } from '../../../model/ownedKinds'
import { extSettings } from '../../../model/systems/extSettings'
import { extLists, type ListPosition } from '../../../model/transfer/exportPosition'
import { extSettingsOf } from '../../../store/systems/extSettingRows'
import { groupRows, listByPosition } from '../../../store/transfer/exportExtRows'
import { type ExtChoice, type ListPart, type ListSizes, LongLists } from './exportLists'

/**
 * Part of an export: the first; a further one with switches, which the long lists follow (undefined
 * if these are unknown); a part with long lists by its position, or by its number from 0.
 */
export type ExtRange =
  | 'first'
  | { readonly follows: ListPosition | null | undefined }
  | { readonly at: ListPosition }
  | { readonly number: number }

/** A part of a longer list leaves space for the members and groups of each part. */
const SIZES: ListSizes = { short: 4 * 1024 * 1024, part: 12 * 1024 * 1024 }

/**
 * Returns the key `multitude.ext` of a part of an export, null if the system uses nothing of it; and
 * where the next part with long lists begins, null if none follows.
 */
export async function exportExt(
  db: Db,
  systemId: number,
  choice: ExtChoice | null,
  range: ExtRange,
  step: () => Promise<unknown>,
  sizes = SIZES,
): Promise<{ ext: ExtSnapshot | null; next: ListPosition | null }> {
  const lists = new LongLists(db, systemId, choice, sizes, step)
  const { own, next } = await readRange(lists, range)
  const every = await listsOfEveryPart(db, systemId, choice)
  const { front_status_privacy } = await extSettingsOf(db, systemId)
  const all = new Map(extLists.map((name) => [name, every[name] ?? own.get(name) ?? []]))
  const isEmpty =
    front_status_privacy === 'private' && [...all.values()].every((rows) => rows.length === 0)
  const settings = serializeFields(extSettings, { front_status_privacy })
  return { ext: isEmpty ? null : { head: { version: EXT_VERSION, settings }, lists: all }, next }
}

interface OwnLists {
  /** Rows as JSON by the name of the list. */
  readonly own: ReadonlyMap<string, string[]>
  readonly next: ListPosition | null
}

async function readRange(lists: LongLists, range: ExtRange): Promise<OwnLists> {
  if (range === 'first') {
    const { short, long } = await lists.split()
    return { own: short, next: long }
  }
  if ('follows' in range) {
    const next = range.follows === undefined ? (await lists.split()).long : range.follows
    return { own: new Map(), next }
  }
  const toLists = ({ name, rows, next }: ListPart) => ({ own: new Map([[name, rows]]), next })
  if ('at' in range) return toLists(await lists.partAt(range.at))
  const none: ListPosition = { lists: [], after: null }
  let part = await lists.partAt((await lists.split()).long ?? none)
  for (let at = 0; at < range.number; at++) part = await lists.partAt(part.next ?? none)
  return toLists(part)
}

async function listsOfEveryPart(
  db: Db,
  systemId: number,
  choice: ExtChoice | null,
): Promise<Partial<Record<string, string[]>>> {
  const groups = (await groupRows(db, systemId)).filter(
    ({ group, parent, emoji, position }) =>
      (!choice || choice.groups.has(String(group))) &&
      (parent !== null || emoji !== null || position !== 0),
  )
  const toJson = async (list: OwnedList) => {
    const { entity, exported = entity } = ownedKind(list)
    const rows = await listByPosition(db, list, systemId)
    return rows.map((row) => JSON.stringify({ id: row.id, ...serializeFields(exported, row) }))
  }
  const hasPosts = !choice || choice.with.has('posts')
  return {
    groups: groups.map((row) =>
      JSON.stringify({ group: row.group, ...serializeFields(groupExt, row) }),
    ),
    fields: await toJson('fields'),
    rooms: hasPosts ? await toJson('rooms') : [],
  }
}
