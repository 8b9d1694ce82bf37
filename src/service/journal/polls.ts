import type { Db } from '../../db/types'
import type { JsonObject } from '../../model/core/entity'
import { error, type Problems } from '../../model/core/errors'
import type { PageRequest } from '../../model/core/listPage'
import { type Redacted, redact, requireSystem, type Viewer } from '../../model/core/privacy'
import { Problem } from '../../model/core/validation'
import {
  type PollDraft,
  type PollPatch,
  type poll,
  type VoteDraft,
  vote,
} from '../../model/journal/poll'
import { listRowPage } from '../../store/core/ownedRows'
import { addUsage } from '../../store/core/usage'
import { recordEvent } from '../../store/events/recordEvent'
import { bytesOfVote, pollKind } from '../../store/journal/pollKind'
import {
  countVotes,
  findVote,
  listVotes,
  type PollRow,
  removeVote,
  storeVote,
} from '../../store/journal/pollRows'
import { kindOf } from '../../store/members/memberKinds'
import { memberRowKind } from '../../store/members/memberRows'
import type { Deps } from '../core/deps'
import { getOwnEntity } from '../core/entities'
import {
  changeOwned,
  createOwned,
  deleteOwned,
  findOwnedProblems,
  getOwned,
  redactForOwner,
  withOwnedRow,
} from '../core/ownedRows'

/** A poll with the number of votes by option, and its votes unless it is in a list. */
export interface CountedPoll {
  readonly poll: Redacted<typeof poll>
  readonly isClosed: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly votes?: readonly Redacted<typeof vote>[]
}

/** Lists polls of the caller's system, newest first, without their votes. */
export async function listPolls(
  deps: Deps,
  viewer: Viewer,
  page: PageRequest,
): Promise<CountedPoll[]> {
  const systemId = requireSystem(viewer, 'read_journal')
  const rows = await listRowPage(deps.db, pollKind, systemId, page)
  const ids = rows.map(({ id }) => id)
  const counted = new Map(rows.map(({ id }) => [id, new Map<string, number>()]))
  for (const { poll, option, votes } of await countVotes(deps.db, ids))
    counted.get(poll)?.set(option, votes)
  return rows.map((row) => ({
    ...describePoll(deps, redactForOwner(pollKind, row)),
    counts: Object.fromEntries(
      (row.options ?? []).map(({ id: option }) => [option, counted.get(row.id)?.get(option) ?? 0]),
    ),
  }))
}

export async function getPoll(deps: Deps, viewer: Viewer, id: string): Promise<CountedPoll> {
  return withVotes(deps, deps.db, await getOwned(deps, viewer, pollKind, id))
}

export async function createPoll(
  deps: Deps,
  viewer: Viewer,
  draft: PollDraft,
): Promise<CountedPoll> {
  return withVotes(deps, deps.db, await createOwned(deps, viewer, pollKind, draft))
}

export async function patchPoll(
  deps: Deps,
  viewer: Viewer,
  id: string,
  patch: PollPatch,
): Promise<CountedPoll> {
  return withVotes(deps, deps.db, await changeOwned(deps, viewer, pollKind, id, patch))
}

/** Deletes a poll with its votes. */
export function deletePoll(deps: Deps, viewer: Viewer, id: string): Promise<void> {
  return deleteOwned(deps, viewer, pollKind, id)
}

/** Returns problems of the body of a poll that only the stored poll shows. */
export function findPollProblems(
  deps: Deps,
  viewer: Viewer,
  id: string | null,
  body: JsonObject,
): Promise<Problems> {
  return findOwnedProblems(deps, viewer, pollKind, id, body)
}

/** Stores the vote of a member, which replaces an earlier one. */
export async function castVote(
  deps: Deps,
  viewer: Viewer,
  pollId: string,
  memberRef: string,
  { option, comment = null }: VoteDraft,
): Promise<CountedPoll> {
  return changeVote(deps, viewer, pollId, memberRef, async (tx, { id, options }, voter) => {
    if ((await kindOf(tx, voter.id)) === 'custom_front')
      throw error('invalidBody', { member: [new Problem('custom_front')] })
    if (!options?.some((pollOption) => pollOption.id === option))
      throw error('invalidBody', { option: [new Problem('no_such_option')] })
    const before = await findVote(tx, id, voter.id)
    if (before?.option_id === option && before.comment === comment) return null
    const created = deps.now()
    const row = { poll_id: id, member_id: voter.id, option_id: option, comment, created }
    await storeVote(tx, { ...row, author_name: null })
    return bytesOfVote({ comment }) - bytesOfVote({ comment: before?.comment ?? null })
  })
}

/** Deletes the vote of a member, if there is one. */
export async function withdrawVote(
  deps: Deps,
  viewer: Viewer,
  pollId: string,
  memberRef: string,
): Promise<CountedPoll> {
  return changeVote(deps, viewer, pollId, memberRef, async (tx, { id }, voter) => {
    const before = await findVote(tx, id, voter.id)
    if (!before) return null
    await removeVote(tx, id, voter.id)
    return -bytesOfVote(before)
  })
}

/** Runs a change of a vote, which returns the bytes that it adds; null if it changes nothing. */
async function changeVote(
  deps: Deps,
  viewer: Viewer,
  pollId: string,
  memberRef: string,
  apply: (tx: Db, row: PollRow, voter: { id: number; uuid: string }) => Promise<number | null>,
): Promise<CountedPoll> {
  return withOwnedRow(deps, viewer, pollKind, pollId, async (tx, row) => {
    const voter = await getOwnEntity({ db: tx }, viewer, memberRowKind, memberRef)
    const redacted = redactForOwner(pollKind, row)
    if (describePoll(deps, redacted).isClosed) throw error('pollClosed')
    const added = await apply(tx, row, voter)
    if (added !== null) {
      await addUsage(deps, tx, row.system_id, { text_bytes: added })
      await recordEvent(tx, deps.now(), {
        system_id: row.system_id,
        type: 'UPDATE_POLL_VOTES',
        subject: row.uuid,
        data: { members: [voter.uuid] },
      })
    }
    return withVotes(deps, tx, redacted)
  })
}

function describePoll(deps: Deps, redacted: Redacted<typeof poll>) {
  return {
    poll: redacted,
    isClosed: typeof redacted.ends === 'number' && redacted.ends <= deps.now(),
  }
}

async function withVotes(
  deps: Deps,
  db: Db,
  redacted: Redacted<typeof poll>,
): Promise<CountedPoll> {
  const votes = await listVotes(db, redacted.uuid ?? '')
  const counts = Object.fromEntries((redacted.options ?? []).map(({ id }) => [id, 0]))
  for (const { option } of votes) counts[option] = (counts[option] ?? 0) + 1
  return {
    ...describePoll(deps, redacted),
    counts,
    votes: votes.map((voteRow) => redact(vote, voteRow, 'owner')),
  }
}
