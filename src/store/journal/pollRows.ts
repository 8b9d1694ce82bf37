import { and, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { pollVoteCounts, pollVotes } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { deletedMemberName, visibleMemberUuid, visiblePolls } from '../../db/visible'
import type { poll, Vote } from '../../model/journal/poll'
import type { OwnedRow } from '../core/ownedRows'

export type PollRow = OwnedRow<typeof poll>

export interface StoredVote {
  readonly option_id: string
  readonly comment: string | null
}

/** Counts the votes of polls by option. */
export function countVotes(
  db: Db,
  pollIds: readonly number[],
): MaybePromise<{ poll: number; option: string; votes: number }[]> {
  return countsOf(db).all({ polls: JSON.stringify(pollIds) })
}

/** Lists the votes of a poll by its UUID, oldest first. */
export function listVotes(db: Db, pollUuid: string): MaybePromise<Vote[]> {
  return votesOf(db).all({ poll: pollUuid })
}

export function findVote(
  db: Db,
  pollId: number,
  memberId: number,
): MaybePromise<StoredVote | null> {
  return voteOf(db).get({ poll: pollId, member: memberId })
}

export async function removeVote(tx: Db, pollId: number, memberId: number): Promise<void> {
  await deleteVote(tx).run({ poll: pollId, member: memberId })
}

/** Stores the vote of a member, which replaces an earlier one. */
export const storeVote = createUpserter(
  pollVotes,
  ['poll_id', 'member_id'],
  ['author_name', 'option_id', 'comment', 'created'],
)

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

const deleteVote = query((db, values: Placeholders<'poll' | 'member'>) =>
  db.delete(pollVotes).where(and(eq(poll_id, values.poll), eq(member_id, values.member))),
)
