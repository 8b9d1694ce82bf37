import { eq, gt, type SQL, sql } from 'drizzle-orm'
import { type Finding, PAGE } from '../db/finding'
import { type Placeholders, query } from '../db/query'
import { readPagesById } from '../db/readPages'
import { polls, pollVoteCounts, pollVotes } from '../db/tables'
import type { Db } from '../db/types'

/** Finds polls whose numbers of votes differ from their votes. */
export async function findWrongVoteCounts(db: Db): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const page of readPagesById(pollPage(db))) {
    const ids = JSON.stringify(page.map(({ id }) => id))
    const stored = Map.groupBy(await storedCounts(db).all({ polls: ids }), ({ poll }) => poll)
    const counted = Map.groupBy(await countedVotes(db).all({ polls: ids }), ({ poll }) => poll)
    for (const { id, uuid } of page)
      if (!Bun.deepEquals(stored.get(id), counted.get(id)))
        findings.push({
          check: 'polls',
          problem: `the numbers of votes of poll ${uuid} are wrong`,
          fix: (tx) => countAgain(tx, id),
        })
  }
  return findings
}

async function countAgain(tx: Db, poll: number): Promise<void> {
  await deleteCounts(tx).run({ poll })
  await insertCounts(tx).run({ poll })
}

const pollPage = query((db, { after }: Placeholders<'after'>) =>
  db
    .select({ id: polls.id, uuid: polls.uuid })
    .from(polls)
    .where(gt(polls.id, after))
    .orderBy(polls.id)
    .limit(PAGE),
)

const countOf = (table: typeof pollVoteCounts | typeof pollVotes, votes: SQL<number>) => ({
  poll: sql<number>`${table.poll_id}`.as('poll'),
  option: sql<string>`${table.option_id}`.as('option'),
  votes: votes.as('votes'),
})

const storedCounts = query((db, values: Placeholders<'polls'>, { inJsonNumbers }) =>
  db
    .select(countOf(pollVoteCounts, sql<number>`${pollVoteCounts.votes}`))
    .from(pollVoteCounts)
    .where(inJsonNumbers(pollVoteCounts.poll_id, values.polls))
    .orderBy(pollVoteCounts.poll_id, pollVoteCounts.option_id),
)

const countedVotes = query((db, values: Placeholders<'polls'>, { inJsonNumbers, count }) =>
  db
    .select(countOf(pollVotes, count()))
    .from(pollVotes)
    .where(inJsonNumbers(pollVotes.poll_id, values.polls))
    .groupBy(pollVotes.poll_id, pollVotes.option_id)
    .orderBy(pollVotes.poll_id, pollVotes.option_id),
)

const deleteCounts = query((db, { poll }: Placeholders<'poll'>) =>
  db.delete(pollVoteCounts).where(eq(pollVoteCounts.poll_id, poll)),
)

// SQL text, because the builder has no insert of counted rows that both engines accept.
const insertCounts = query(
  (_, { poll }: Placeholders<'poll'>, { count }) =>
    sql`insert into ${pollVoteCounts} (poll_id, option_id, votes)
      select poll_id, option_id, ${count()} from ${pollVotes}
      where ${eq(pollVotes.poll_id, poll)} group by poll_id, option_id`,
)
