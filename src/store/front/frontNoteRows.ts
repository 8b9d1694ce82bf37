import { desc, eq, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { Db, MaybePromise } from '../../db/types'
import { visibleFrontNotes } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import type { FrontNote, frontNote } from '../../model/front/frontNote'
import { findOwnedRow, type OwnedRow, type PageValues, selectPage } from '../core/ownedRows'
import { frontNoteKind } from './frontNoteKind'

export type FrontNoteRow = OwnedRow<typeof frontNote>

/** Lists one page of the front notes of a system, or of one of its members. */
export async function listFrontNotePage(
  db: Db,
  kind: FrontNote['kind'] | null,
  memberId: number | null,
  values: PageValues & { readonly since: Instant },
): Promise<FrontNoteRow[]> {
  const { ofAll, ofMember } = pages[kind ?? 'all']
  if (memberId === null) return await ofAll(db).all(values)
  return await ofMember(db).all({ ...values, member: memberId })
}

/** Finds the status that a member was given at exactly this time. */
export async function findStatus(
  tx: Db,
  system: number,
  member: number,
  at: Instant,
): Promise<FrontNoteRow | null> {
  const status = await statusAt(tx).get({ member, at })
  return status && findOwnedRow(tx, frontNoteKind, system, status.uuid)
}

/** Finds the time of a member's last status. */
export function findLastStatus(
  tx: Db,
  member: number,
): MaybePromise<{ at: Instant | null } | null> {
  return statusOf(tx).get({ member })
}

const { kind: kindColumn, member_id, at: atColumn, uuid: uuidColumn } = visibleFrontNotes

const isStatusOf = (member: Placeholders<'member'>['member']) =>
  sql`${eq(member_id, member)} and ${kindColumn} = 'status'`

const statusOf = query((db, { member }: Placeholders<'member'>) =>
  db
    .select({ uuid: uuidColumn, at: atColumn })
    .from(visibleFrontNotes)
    .where(isStatusOf(member))
    .orderBy(desc(atColumn))
    .limit(1),
)

const statusAt = query((db, { member, at }: Placeholders<'member' | 'at'>) =>
  db
    .select({ uuid: uuidColumn })
    .from(visibleFrontNotes)
    .where(sql`${isStatusOf(member)} and ${eq(atColumn, at)}`),
)

/** Prepares pages of one kind, which is a constant so that the index of this kind is used. */
function pagesOf(kind: FrontNote['kind'] | null) {
  const isWanted = (since: SQL, column: (name: string) => SQL) => {
    const isOfKind = kind === null ? sql`true` : sql`${column('kind')} = ${sql.raw(`'${kind}'`)}`
    return sql`${column('at')} >= ${since} and ${isOfKind}`
  }
  return {
    ofAll: selectPage(frontNoteKind, ({ since }: Placeholders<'since'>, column) =>
      isWanted(since, column),
    ),
    ofMember: selectPage(
      frontNoteKind,
      ({ since, member }: Placeholders<'since' | 'member'>, column) =>
        sql`${column('member_id')} = ${member} and ${isWanted(since, column)}`,
    ),
  }
}

const pages = { all: pagesOf(null), status: pagesOf('status'), comment: pagesOf('comment') }
