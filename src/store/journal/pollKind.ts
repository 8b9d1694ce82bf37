import { and, eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { polls, pollVotes } from '../../db/tables'
import { textBytes } from '../../model/core/textSize'
import { type poll, type Vote, vote } from '../../model/journal/poll'
import { removedOptions, unknownOptions, withOptionIds } from '../core/optionIds'
import { type OwnedRowKind, ownedRowFacts } from '../core/ownedRows'
import { addUsage } from '../core/usage'

export const pollKind: OwnedRowKind<typeof poll> = {
  ...ownedRowFacts('polls'),
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
}

export function bytesOfVote({ comment }: Pick<Vote, 'comment'>): number {
  return textBytes(vote, { comment })
}

function freed(votes: readonly Pick<Vote, 'comment'>[]) {
  return { text_bytes: -votes.reduce((sum, vote) => sum + bytesOfVote(vote), 0) }
}

const { poll_id, option_id, comment } = pollVotes

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
