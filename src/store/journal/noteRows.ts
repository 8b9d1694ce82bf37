import { sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { Db, MaybePromise } from '../../db/types'
import { visibleNotes } from '../../db/visible'
import { EXCERPT_LENGTH } from '../../model/core/excerpt'
import type { note } from '../../model/journal/note'
import {
  type OwnedRow,
  type PageValues,
  type RowSize,
  selectListed,
  selectSizes,
} from '../core/ownedRows'
import { noteKind } from './noteKind'

export type NoteRow = OwnedRow<typeof note>

/** Lists the sizes of the texts of one page of notes of a system, or of one of its members. */
export function listNoteSizes(
  db: Db,
  memberId: number | null,
  values: PageValues,
): MaybePromise<RowSize[]> {
  if (memberId === null) return sizesOfAll(db).all(values)
  return sizesOfMember(db).all({ ...values, member: memberId })
}

/** Lists the whole texts of notes. */
export function listNoteTexts(
  db: Db,
  ids: readonly number[],
): MaybePromise<Pick<NoteRow, 'id' | 'title' | 'text'>[]> {
  return textsOf(db).all({ ids: JSON.stringify(ids) })
}

/** Lists notes newest first, with only the beginning of their texts. */
export async function listNoteExcerpts(db: Db, ids: readonly number[]): Promise<NoteRow[]> {
  if (ids.length === 0) return []
  return await listed(db).all({ ids: JSON.stringify(ids) })
}

const sizesOfAll = selectSizes(noteKind, 'text')
const sizesOfMember = selectSizes(
  noteKind,
  'text',
  ({ member }: Placeholders<'member'>, column) => sql`${column('member_id')} = ${member}`,
)
const listed = selectListed(noteKind, { text: EXCERPT_LENGTH })

const textsOf = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) => {
  const { id, title, text } = visibleNotes
  return db.select({ id, title, text }).from(visibleNotes).where(inJsonNumbers(id, ids))
})
