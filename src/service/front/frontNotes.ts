import { desc, eq, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { frontNotes } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleFrontNotes } from '../../db/visible'
import { throwIfInvalid } from '../../model/core/entity'
import { error } from '../../model/core/errors'
import { type Redacted, requireSystem, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { Problem } from '../../model/core/validation'
import {
  type FrontNote,
  type FrontNoteDraft,
  type FrontNotePatch,
  frontNote,
  validateFrontNote,
} from '../../model/front/frontNote'
import { getOwnEntities } from '../../store/core/entityRows'
import { frontNoteEventData, isInFront, removeStatusAt } from '../../store/front/statuses'
import { findLatest } from '../../store/front/switchRows'
import { memberRowKind } from '../../store/members/memberRows'
import type { Deps } from '../core/deps'
import { createOwnedRows, type OwnedRow, type PageRequest } from '../core/ownedRows'
import { anyMember, author } from '../members/memberReference'
import { requireExists } from '../systems/deletion'

const rows = createOwnedRows<typeof frontNote>({
  entity: frontNote,
  table: frontNotes,
  rows: visibleFrontNotes,
  references: { member: anyMember('member_id'), by: author('by_member') },
  order: 'at',
  missing: 'frontNoteNotFound',
  events: {
    created: 'CREATE_FRONT_NOTE',
    changed: 'UPDATE_FRONT_NOTE',
    removed: 'DELETE_FRONT_NOTE',
  },
  limit: { counter: 'front_notes' },
  timeKeys: ['at', 'created'],
  editedKeys: ['text'],
  permissions: { read: 'read_journal', write: 'switch' },
  validate: validateFrontNote,
  eventData: frontNoteEventData,
})

export const { delete: deleteFrontNote } = rows

export interface FrontNoteFilter {
  /** Reference of the member that the notes are about; null for all. */
  readonly member: string | null
  readonly kind: FrontNote['kind'] | null
  readonly since: Instant | null
  readonly until: Instant | null
}

/** Lists front notes of the caller's system, newest first. */
export async function listFrontNotes(
  { db }: Deps,
  viewer: Viewer,
  { member, kind, since, until }: FrontNoteFilter,
  page: PageRequest,
): Promise<Redacted<typeof frontNote>[]> {
  const systemId = requireSystem(viewer, 'read_journal')
  const [of] = member === null ? [] : await getOwnEntities(db, memberRowKind, systemId, [member])
  const begin = await rows.pageValues(db, systemId, page)
  const isLimited = until !== null && until <= begin.before
  const values = {
    ...begin,
    ...(isLimited && { before: until, beforeId: 0 }),
    since: since ?? -Infinity,
  }
  const { ofAll, ofMember } = pages[kind ?? 'all']
  const found = await (of ? ofMember(db).all({ ...values, member: of.id }) : ofAll(db).all(values))
  return found.map(rows.redactForOwner)
}

/** Writes a front note. A status replaces the one of the same member and time. */
export async function createFrontNote(
  deps: Deps,
  viewer: Viewer,
  draft: FrontNoteDraft,
): Promise<{ note: Redacted<typeof frontNote>; isNew: boolean }> {
  const systemId = requireSystem(viewer, 'switch')
  if (draft.text === undefined) throw error('invalidBody', { text: [new Problem('Required.')] })
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const { row, isNew } = await writeFrontNote(deps, tx, systemId, draft)
    return { note: rows.redactForOwner(row), isNew }
  })
}

/** Changes the time, the text or the author of a front note. */
export async function patchFrontNote(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
  patch: FrontNotePatch,
): Promise<Redacted<typeof frontNote>> {
  return rows.change(deps, viewer, uuid, async (tx, before) => {
    const at = patch.at === undefined ? before.at : (patch.at ?? deps.now())
    if (before.kind === 'status' && at !== null && at !== before.at) {
      const memberId = await requireInFront(tx, before.system_id, String(before.member), at)
      if (await findStatus(tx, before.system_id, memberId, at))
        throw error('invalidBody', { at: [new Problem('There is a status at this time.')] })
      await removeStatusAt(deps, tx, before.system_id, memberId, at)
    }
    return rows.redactForOwner(await rows.update(deps, tx, before, patch))
  })
}

/** Writes a front note in an open transaction, with its event. */
export async function writeFrontNote(
  deps: Deps,
  tx: Db,
  systemId: number,
  draft: FrontNoteDraft,
): Promise<{ row: OwnedRow<typeof frontNote>; isNew: boolean }> {
  const { kind, member = null, at = null, text = null, by = null } = draft
  if (kind === 'comment' || member === null)
    return { row: await rows.insert(deps, tx, systemId, draft), isNew: true }
  throwIfInvalid(validateFrontNote({ kind, member, at, text, by }, deps.now()))
  const time = at ?? (await timeOfNextStatus(deps, tx, systemId, member))
  const memberId = await requireInFront(tx, systemId, member, time)
  const known = await findStatus(tx, systemId, memberId, time)
  if (known) return { row: await rows.update(deps, tx, known, { text }), isNew: false }
  // Makes room if a hidden one is stored there.
  await removeStatusAt(deps, tx, systemId, memberId, time)
  return { row: await rows.insert(deps, tx, systemId, { ...draft, at: time }), isNew: true }
}

/** Returns the row ID of the member. Throws unless that member is in front at the time. */
async function requireInFront(tx: Db, systemId: number, ref: string, at: Instant): Promise<number> {
  const [found] = await getOwnEntities(tx, memberRowKind, systemId, [ref])
  if (!found) throw error('memberRefNotFound', ref)
  if (!(await isInFront(tx, systemId, found.id, at)))
    throw error('invalidBody', { member: [new Problem('Must be in front at that time.')] })
  return found.id
}

async function findStatus(
  tx: Db,
  system: number,
  member: number,
  at: Instant,
): Promise<OwnedRow<typeof frontNote> | null> {
  const found = await statusAt(tx).get({ member, at })
  return found && rows.find(tx, system, found.uuid)
}

/** Returns the time from which a new status is the last one, if a clock was ahead meanwhile. */
async function timeOfNextStatus(
  deps: Deps,
  tx: Db,
  systemId: number,
  ref: string,
): Promise<Instant> {
  const [found] = await getOwnEntities(tx, memberRowKind, systemId, [ref])
  const last = found ? await statusOf(tx).get({ member: found.id }) : null
  const latest = await findLatest(tx, systemId)
  return Math.max(deps.now(), last?.at ?? -Infinity, latest?.timestamp ?? -Infinity)
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
    ofAll: rows.selectPage(({ since }: Placeholders<'since'>, column) => isWanted(since, column)),
    ofMember: rows.selectPage(
      ({ since, member }: Placeholders<'since' | 'member'>, column) =>
        sql`${column('member_id')} = ${member} and ${isWanted(since, column)}`,
    ),
  }
}

const pages = { all: pagesOf(null), status: pagesOf('status'), comment: pagesOf('comment') }
