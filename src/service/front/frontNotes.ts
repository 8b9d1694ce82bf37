import type { Db } from '../../db/types'
import { throwIfInvalid } from '../../model/core/entity'
import { error } from '../../model/core/errors'
import type { PageRequest } from '../../model/core/listPage'
import { type Redacted, requireSystem, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { Problem } from '../../model/core/validation'
import {
  type FrontNote,
  type FrontNoteDraft,
  type FrontNotePatch,
  type frontNote,
  validateFrontNote,
} from '../../model/front/frontNote'
import { getOwnEntities } from '../../store/core/entityRows'
import { pageValues } from '../../store/core/ownedRows'
import { frontNoteKind } from '../../store/front/frontNoteKind'
import {
  type FrontNoteRow,
  findLastStatus,
  findStatus,
  listFrontNotePage,
} from '../../store/front/frontNoteRows'
import { isInFront, removeStatusAt } from '../../store/front/statuses'
import { findLatest } from '../../store/front/switchRows'
import { memberRowKind } from '../../store/members/memberRows'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'
import {
  changeOwnedIn,
  createOwnedIn,
  deleteOwned,
  redactForOwner,
  withOwnedRow,
} from '../core/ownedRows'

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
  const [memberRow] =
    member === null ? [] : await getOwnEntities(db, memberRowKind, systemId, [member])
  const begin = await pageValues(db, frontNoteKind, systemId, page)
  const isLimited = until !== null && until <= begin.before
  const values = {
    ...begin,
    ...(isLimited && { before: until, beforeId: 0 }),
    since: since ?? -Infinity,
  }
  const rows = await listFrontNotePage(db, kind, memberRow?.id ?? null, values)
  return rows.map((row) => redactForOwner(frontNoteKind, row))
}

/** Writes a front note. A status replaces the one of the same member and time. */
export async function createFrontNote(
  deps: Deps,
  viewer: Viewer,
  draft: FrontNoteDraft,
): Promise<{ note: Redacted<typeof frontNote>; isNew: boolean }> {
  const systemId = requireSystem(viewer, 'switch')
  if (draft.text === undefined) throw error('invalidBody', { text: [new Problem('required')] })
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const { row, isNew } = await writeFrontNote(deps, tx, systemId, draft)
    return { note: redactForOwner(frontNoteKind, row), isNew }
  })
}

/** Changes the time, the text or the author of a front note. */
export async function patchFrontNote(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
  patch: FrontNotePatch,
): Promise<Redacted<typeof frontNote>> {
  return withOwnedRow(deps, viewer, frontNoteKind, uuid, async (tx, before) => {
    const at = patch.at === undefined ? before.at : (patch.at ?? deps.now())
    if (before.kind === 'status' && at !== null && at !== before.at) {
      const memberId = await requireInFront(tx, before.system_id, String(before.member), at)
      if (await findStatus(tx, before.system_id, memberId, at))
        throw error('invalidBody', { at: [new Problem('status_exists')] })
      await removeStatusAt(deps, tx, before.system_id, memberId, at)
    }
    return redactForOwner(
      frontNoteKind,
      await changeOwnedIn(deps, tx, frontNoteKind, before, patch),
    )
  })
}

export function deleteFrontNote(deps: Deps, viewer: Viewer, uuid: string): Promise<void> {
  return deleteOwned(deps, viewer, frontNoteKind, uuid)
}

/** Writes a front note in an open transaction, with its event. */
export async function writeFrontNote(
  deps: Deps,
  tx: Db,
  systemId: number,
  draft: FrontNoteDraft,
): Promise<{ row: FrontNoteRow; isNew: boolean }> {
  const { kind, member = null, at = null, text = null, by = null } = draft
  if (kind === 'comment' || member === null)
    return { row: await createOwnedIn(deps, tx, frontNoteKind, systemId, draft), isNew: true }
  throwIfInvalid(validateFrontNote({ kind, member, at, text, by }, deps.now()))
  const time = at ?? (await timeOfNextStatus(deps, tx, systemId, member))
  const memberId = await requireInFront(tx, systemId, member, time)
  const statusRow = await findStatus(tx, systemId, memberId, time)
  if (statusRow)
    return { row: await changeOwnedIn(deps, tx, frontNoteKind, statusRow, { text }), isNew: false }
  // Makes room if a hidden one is stored there.
  await removeStatusAt(deps, tx, systemId, memberId, time)
  return {
    row: await createOwnedIn(deps, tx, frontNoteKind, systemId, { ...draft, at: time }),
    isNew: true,
  }
}

/** Returns the row ID of the member. Throws unless that member is in front at the time. */
async function requireInFront(tx: Db, systemId: number, ref: string, at: Instant): Promise<number> {
  const [found] = await getOwnEntities(tx, memberRowKind, systemId, [ref])
  if (!found) throw error('memberRefNotFound', ref)
  if (!(await isInFront(tx, systemId, found.id, at)))
    throw error('invalidBody', { member: [new Problem('not_in_front')] })
  return found.id
}

/** Returns the time from which a new status is the last one, if a clock was ahead meanwhile. */
async function timeOfNextStatus(
  deps: Deps,
  tx: Db,
  systemId: number,
  ref: string,
): Promise<Instant> {
  const [found] = await getOwnEntities(tx, memberRowKind, systemId, [ref])
  const last = found ? await findLastStatus(tx, found.id) : null
  const latest = await findLatest(tx, systemId)
  return Math.max(deps.now(), last?.at ?? -Infinity, latest?.timestamp ?? -Infinity)
}
