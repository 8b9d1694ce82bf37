import { and, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { polls, pollVoteCounts, pollVotes } from '../../db/tables'
import type { Db } from '../../db/types'
import { deletedMemberName, visibleMemberUuid, visiblePolls } from '../../db/visible'
import { error } from '../../model/core/errors'
import { type Redacted, redact, requireSystem, type Viewer } from '../../model/core/privacy'
import { textBytes } from '../../model/core/textSize'
import { Problem } from '../../model/core/validation'
import {
  type PollDraft,
  type PollPatch,
  poll,
  type Vote,
  type VoteDraft,
  vote,
} from '../../model/journal/poll'
import { addUsage, smallLimits } from '../../store/core/usage'
import { recordEvent } from '../../store/events/recordEvent'
import { kindOf } from '../../store/members/memberKinds'
import { memberRowKind } from '../../store/members/memberRows'
import type { Deps } from '../core/deps'
import { getOwnEntity } from '../core/entities'
import { createOwnedRows, type PageRequest } from '../core/ownedRows'
import { removedOptions, unknownOptions, withOptionIds } from '../members/optionIds'

const rows = createOwnedRows<typeof poll>({
  entity: poll,
  table: polls,
  rows: visiblePolls,
  references: {},
  order: 'created',
  missing: 'pollNotFound',
  events: { created: 'CREATE_POLL', changed: 'UPDATE_POLL', removed: 'DELETE_POLL' },
  limit: { max: smallLimits.polls, what: 'polls' },
  timeKeys: ['created'],
  eventData: () => ({}),
  checkBody: ({ options }, before) => unknownOptions(options, before?.options),
  async chooseValues(_, __, { options }) {
    return options ? { options: withOptionIds(options) } : {}
  },
  async onChange(deps, tx, before, { id, system_id, options }) {
    const removed = JSON.stringify(removedOptions(before.options, options))
    const votes = await deleteOfOptions(tx).all({ poll: id, options: removed })
    await addUsage(deps, tx, system_id, freed(votes))
    return {}
  },
  async remove(tx, id) {
    const votes = await deleteAll(tx).all({ poll: id })
    await deletePollRow(tx).run({ id })
    return freed(votes)
  },
})

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
  const values = await rows.pageValues(deps.db, systemId, page)
  const found = await pageOfAll(deps.db).all(values)
  const ids = JSON.stringify(found.map(({ id }) => id))
  const counted = new Map(found.map(({ id }) => [id, new Map<string, number>()]))
  for (const { poll, option, votes } of await countsOf(deps.db).all({ polls: ids }))
    counted.get(poll)?.set(option, votes)
  return found.map((row) => ({
    ...describePoll(deps, rows.redactForOwner(row)),
    counts: Object.fromEntries(
      (row.options ?? []).map(({ id: option }) => [option, counted.get(row.id)?.get(option) ?? 0]),
    ),
  }))
}

export async function getPoll(deps: Deps, viewer: Viewer, id: string): Promise<CountedPoll> {
  return withVotes(deps, deps.db, await rows.getOwn(deps, viewer, id))
}

export async function createPoll(
  deps: Deps,
  viewer: Viewer,
  draft: PollDraft,
): Promise<CountedPoll> {
  return withVotes(deps, deps.db, await rows.create(deps, viewer, draft))
}

export async function patchPoll(
  deps: Deps,
  viewer: Viewer,
  id: string,
  patch: PollPatch,
): Promise<CountedPoll> {
  return withVotes(deps, deps.db, await rows.patch(deps, viewer, id, patch))
}

export const { delete: deletePoll, findProblems: findPollProblems } = rows

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
      throw error('invalidBody', { member: [new Problem('Must not be a custom front.')] })
    if (!options?.some((known) => known.id === option))
      throw error('invalidBody', { option: [new Problem('There is no such option.')] })
    const before = await voteOf(tx).get({ poll: id, member: voter.id })
    if (before?.option_id === option && before.comment === comment) return null
    const created = deps.now()
    const row = { poll_id: id, member_id: voter.id, option_id: option, comment, created }
    await storeVote(tx, { ...row, author_name: null })
    return bytesOf({ comment }) - bytesOf({ comment: before?.comment ?? null })
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
    const before = await voteOf(tx).get({ poll: id, member: voter.id })
    if (!before) return null
    await deleteVote(tx).run({ poll: id, member: voter.id })
    return -bytesOf(before)
  })
}

/** Runs a change of a vote, which returns the bytes that it adds; null if it changes nothing. */
async function changeVote(
  deps: Deps,
  viewer: Viewer,
  pollId: string,
  memberRef: string,
  apply: (
    tx: Db,
    of: Awaited<ReturnType<typeof rows.get>>,
    voter: { id: number; uuid: string },
  ) => Promise<number | null>,
): Promise<CountedPoll> {
  return rows.change(deps, viewer, pollId, async (tx, row) => {
    const voter = await getOwnEntity({ db: tx }, viewer, memberRowKind, memberRef)
    const of = rows.redactForOwner(row)
    if (describePoll(deps, of).isClosed) throw error('pollClosed')
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
    return withVotes(deps, tx, of)
  })
}

function describePoll(deps: Deps, of: Redacted<typeof poll>) {
  return { poll: of, isClosed: typeof of.ends === 'number' && of.ends <= deps.now() }
}

async function withVotes(deps: Deps, db: Db, of: Redacted<typeof poll>): Promise<CountedPoll> {
  const votes = await votesOf(db).all({ poll: of.uuid ?? '' })
  const counts = Object.fromEntries((of.options ?? []).map(({ id }) => [id, 0]))
  for (const { option } of votes) counts[option] = (counts[option] ?? 0) + 1
  return {
    ...describePoll(deps, of),
    counts,
    votes: votes.map((one) => redact(vote, one, 'owner')),
  }
}

function bytesOf({ comment }: Pick<Vote, 'comment'>): number {
  return textBytes(vote, { comment })
}

function freed(votes: readonly Pick<Vote, 'comment'>[]) {
  return { text_bytes: -votes.reduce((sum, one) => sum + bytesOf(one), 0) }
}

const pageOfAll = rows.selectPage()

const { poll_id, member_id, author_name, option_id, comment, created } = pollVotes

const countsOf = query((db, values: Placeholders<'polls'>, { inJsonNumbers }) =>
  db
    .select({
      poll: sql<number>`${pollVoteCounts.poll_id}`.as('poll'),
      option: sql<string>`${pollVoteCounts.option_id}`.as('option'),
      votes: pollVoteCounts.votes,
    })
    .from(pollVoteCounts)
    .where(inJsonNumbers(pollVoteCounts.poll_id, values.polls)),
)

const votesOf = query((db, values: Placeholders<'poll'>) =>
  db
    .select({
      member: sql<string | null>`${visibleMemberUuid(member_id)}`.as('member'),
      author_name: sql<string | null>`coalesce(${deletedMemberName(member_id)}, ${author_name})`.as(
        'author_name',
      ),
      option: sql<string>`${option_id}`.as('option'),
      comment,
      created,
    })
    .from(pollVotes)
    .innerJoin(visiblePolls, eq(visiblePolls.id, poll_id))
    .where(eq(visiblePolls.uuid, values.poll))
    .orderBy(pollVotes.id),
)

const voteOf = query((db, values: Placeholders<'poll' | 'member'>) =>
  db
    .select({ option_id, comment })
    .from(pollVotes)
    .where(and(eq(poll_id, values.poll), eq(member_id, values.member))),
)

const storeVote = createUpserter(
  pollVotes,
  ['poll_id', 'member_id'],
  ['author_name', 'option_id', 'comment', 'created'],
)

const deleteVote = query((db, values: Placeholders<'poll' | 'member'>) =>
  db.delete(pollVotes).where(and(eq(poll_id, values.poll), eq(member_id, values.member))),
)

const deleteOfOptions = query((db, values: Placeholders<'poll' | 'options'>, { inJsonTexts }) =>
  db
    .delete(pollVotes)
    .where(and(eq(poll_id, values.poll), inJsonTexts(option_id, values.options)))
    .returning({ comment }),
)

const deleteAll = query((db, values: Placeholders<'poll'>) =>
  db.delete(pollVotes).where(eq(poll_id, values.poll)).returning({ comment }),
)

const deletePollRow = query((db, { id }: Placeholders<'id'>) =>
  db.delete(polls).where(eq(polls.id, id)),
)
