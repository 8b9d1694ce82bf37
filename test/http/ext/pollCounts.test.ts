import { findWrongVoteCounts } from '../../../src/doctor/voteCountCheck'
import { listPolls } from '../../../src/service/journal/polls'
import { purgeDeleted } from '../../../src/service/systems/purge'
import { deleteSystem } from '../../tools/operatorActions'
import { execute, rows } from '../../tools/rawSql'
import { createFixture, type Fixture, type Json } from '../../tools/scenarios'
import { createRecorder } from '../../tools/statementRecorder'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { deps } = testApp

interface PollJson extends Json {
  id: string
  options: { id: string }[]
  counts: Record<string, number>
}

const POLLS = 'GET /ext/v1/systems/@me/polls'

/** Creates a poll with the options `<yes>` and `<no>`, for which Wren and Finch voted. */
async function createPoll(): Promise<Fixture> {
  const fixture = await createFixture(testApp)
  const body = { name: 'Move the desk?', options: [{ name: 'yes' }, { name: 'no' }] }
  const poll = await fixture.do<PollJson>('POST /ext/v1/systems/@me/polls', body)
  fixture.remember('poll', poll.id)
  fixture.remember('yes', poll.options[0]?.id)
  fixture.remember('no', poll.options[1]?.id)
  for (const voter of ['<wren>', '<finch>'])
    await fixture.do(`PUT /ext/v1/polls/<poll>/votes/${voter}`, { option: '<yes>' })
  return fixture
}

/** Gives a member more posts than are deleted at once. */
const writeMuch = ({ owner }: Fixture, author: number) =>
  deps.transact({ system: owner.id }, (tx) =>
    execute(
      tx,
      `insert into posts (uuid, system_id, by_member, text, written)
       with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 600)
       select '${crypto.randomUUID().slice(0, 24)}' || cast(100000000000 + i as text),
         ${owner.id}, ${author}, 'x', i from numbers`,
    ),
  )

const countsOf = async (fixture: Fixture, as: 'owner' | 'other' = 'owner') =>
  (await fixture.get<PollJson[]>(POLLS, as)).map(({ counts }) => Object.values(counts))

describe('numbers of votes in a list', () => {
  const changes: Record<string, [change: (fixture: Fixture) => Promise<unknown>, left: unknown]> = {
    'after votes': [async () => {}, [[2, 0]]],
    'after another vote of a member': [
      ({ do: send }) => send('PUT /ext/v1/polls/<poll>/votes/<wren>', { option: '<no>' }),
      [[1, 1]],
    ],
    'after a comment on the same vote': [
      ({ do: send }) =>
        send('PUT /ext/v1/polls/<poll>/votes/<wren>', { option: '<yes>', comment: 'finally' }),
      [[2, 0]],
    ],
    'after a withdrawn vote': [
      ({ ask }) => ask('DELETE /ext/v1/polls/<poll>/votes/<wren>'),
      [[1, 0]],
    ],
    'after all votes were withdrawn': [
      async ({ ask }) => {
        await ask('DELETE /ext/v1/polls/<poll>/votes/<wren>')
        await ask('DELETE /ext/v1/polls/<poll>/votes/<finch>')
      },
      [[0, 0]],
    ],
    'after an option was removed': [
      async ({ do: send }) => {
        await send('PUT /ext/v1/polls/<poll>/votes/<wren>', { option: '<no>' })
        await send('PATCH /ext/v1/polls/<poll>', { options: [{ id: '<no>', name: 'no' }] })
      },
      [[1]],
    ],
    'after a member who voted was deleted': [
      ({ ask }) => ask('DELETE /v2/members/<wren>'),
      [[2, 0]],
    ],
    'after a member with many posts was deleted in batches': [
      async (fixture) => {
        await writeMuch(fixture, fixture.wren.id)
        await fixture.ask('DELETE /v2/members/<wren>')
        expect(await countsOf(fixture)).toEqual([[2, 0]])
        await purgeDeleted(deps)
      },
      [[2, 0]],
    ],
    'after the poll was deleted': [({ ask }) => ask('DELETE /ext/v1/polls/<poll>'), []],
    'after the file of an export was imported again': [
      async ({ get, do: send }) => {
        await send('POST /v2/systems/@me/import', await get('GET /v2/systems/@me/export'))
      },
      [[2, 0]],
    ],
  }

  test.each(Object.entries(changes))('are those of the votes %s', async (_, [change, left]) => {
    const fixture = await createPoll()
    await change(fixture)
    expect(await countsOf(fixture)).toEqual(left as number[][])
    expect(await findWrongVoteCounts(deps.db)).toEqual([])
  })

  test('are those of the file after an import', async () => {
    const fixture = await createPoll()
    await fixture.do('PUT /ext/v1/polls/<poll>/votes/<heron>', { option: '<no>' })
    const file = await fixture.get('GET /v2/systems/@me/export')
    await fixture.do('POST /v2/systems/@me/import', file, 'other')
    expect(await countsOf(fixture, 'other')).toEqual([[2, 1]])
    expect(await findWrongVoteCounts(deps.db)).toEqual([])
  })

  test('are deleted with their system', async () => {
    const { owner } = await createPoll()
    const [poll] = await rows<{ id: number }>(
      deps.db,
      `select id from polls where system_id = ${owner.id}`,
    )
    const counts = `select 1 as one from poll_vote_counts where poll_id = ${poll?.id}`
    expect(await rows(deps.db, counts)).toHaveLength(1)
    await deleteSystem(deps, owner.id)
    await purgeDeleted(deps)
    expect(await rows(deps.db, counts)).toEqual([])
  })

  test('are read without the votes', async () => {
    const { owner } = await createPoll()
    const { statements, recordStatements } = createRecorder()
    const viewer = { system: owner.id, platform: null }
    const page = { limit: 1000, position: null }
    await listPolls({ ...deps, db: recordStatements(deps.db) }, viewer, page)
    expect(statements.join()).toContain('poll_vote_counts')
    expect(statements.join()).not.toContain('poll_votes')
  })
})
