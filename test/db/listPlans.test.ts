import type { Viewer } from '../../src/model/core/privacy'
import type { FrontNote } from '../../src/model/front/frontNote'
import type { Deps } from '../../src/service/core/deps'
import { getFront } from '../../src/service/front/front'
import { listFrontNotes } from '../../src/service/front/frontNotes'
import { createSwitch } from '../../src/service/front/switches'
import { listNotes } from '../../src/service/journal/notes'
import { listPolls } from '../../src/service/journal/polls'
import {
  countUnread,
  listPosts,
  markPostsRead,
  type PostFilter,
} from '../../src/service/journal/posts'
import { createMember } from '../../src/service/members/members'
import { getSystem } from '../../src/service/systems/systems'
import { createRecorder } from '../tools/statementRecorder'
import { describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'
import { openPlans } from './queryPlans'

const { app, deps, makeSystem } = createTestApp()
const { planOf } = openPlans(app.storage.location)
const { statements, recordStatements } = createRecorder()

const recordedDeps: Deps = {
  ...deps,
  db: recordStatements(deps.db),
  transact: (of, work) => deps.transact(of, (tx) => work(recordStatements(tx))),
  snapshot: (work) => deps.snapshot((db) => work(recordStatements(db))),
}

const viewer: Viewer = { system: (await makeSystem('Harbour')).id, platform: null }
const { row: wren } = await createMember(deps, viewer, { name: 'Wren' })

await createSwitch(deps, viewer, '@me', { members: [wren.uuid], timestamp: null })
const harbour = await getSystem(deps, viewer, '@me')

const page = { limit: 1000, position: { before: deps.now() } }

const frontNotes = (kind: FrontNote['kind'] | null, member: string | null) => () =>
  listFrontNotes(recordedDeps, viewer, { member, kind, since: null, until: null }, page)
const posts = (filter: PostFilter) => () => listPosts(recordedDeps, viewer, filter, page)
const read = (board: string) => () => markPostsRead(recordedDeps, viewer, { for: board })

/** Lists with the table and the index, or the range of it, that alone may be read. */
const lists: Record<string, [run: () => Promise<unknown>, table: string, reads: string]> = {
  'front notes': [
    frontNotes(null, null),
    'front_notes',
    'INDEX front_notes_by_time (system_id=? AND at>? AND at<?)',
  ],
  'front notes of a member': [
    frontNotes(null, wren.uuid),
    'front_notes',
    'INDEX front_notes_by_member (member_id=? AND at>? AND at<?)',
  ],
  comments: [
    frontNotes('comment', null),
    'front_notes',
    'INDEX front_notes_by_comment_time (system_id=? AND at>? AND at<?)',
  ],
  'comments on a member': [
    frontNotes('comment', wren.uuid),
    'front_notes',
    'INDEX front_notes_by_comment_member (system_id=? AND member_id=? AND at>? AND at<?)',
  ],
  statuses: [
    frontNotes('status', null),
    'front_notes',
    'INDEX front_notes_by_status_time (system_id=? AND at>? AND at<?)',
  ],
  'statuses of a member': [
    frontNotes('status', wren.uuid),
    'front_notes',
    'INDEX front_notes_by_status (system_id=? AND member_id=? AND at>? AND at<?)',
  ],
  'the last status of a fronter': [
    () => getFront(recordedDeps, viewer, harbour),
    'front_notes',
    'INDEX front_notes_by_status_member (member_id=? AND kind=?)',
  ],
  notes: [
    () => listNotes(recordedDeps, viewer, { member: null, search: null }, page),
    'notes',
    'INDEX notes_by_date (system_id=? AND date<?)',
  ],
  polls: [
    () => listPolls(recordedDeps, viewer, page),
    'polls',
    'INDEX polls_by_time (system_id=? AND created<?)',
  ],
  posts: [posts(null), 'posts', 'INDEX posts_by_time (system_id=? AND written<?)'],
  'posts on the board of a member': [
    posts({ for: wren.uuid }),
    'posts',
    'INDEX posts_by_board (system_id=? AND for_member=? AND written<?)',
  ],
  'unread posts': [
    posts({ unread: true }),
    'posts',
    'INDEX posts_by_unread_time (system_id=? AND written<?)',
  ],
  'posts to mark as read on the board of a member': [
    read(wren.uuid),
    'posts',
    'COVERING INDEX posts_by_unread (system_id=? AND for_member=?)',
  ],
}

describe('long lists read only the part of an index that they show', () => {
  test.each(Object.entries(lists))('%s', async (_, [run, table, reads]) => {
    expect(await readsOf(table, run)).toEqual([`SEARCH ${table} USING ${reads}`])
  })

  const systemBoard: [what: string, run: () => Promise<unknown>, reads: string][] = [
    [
      'posts on the board of the system',
      posts({ for: '@system' }),
      'INDEX posts_by_board (system_id=? AND for_member=? AND written<?)',
    ],
    [
      'posts to mark as read on the board of the system',
      read('@system'),
      'COVERING INDEX posts_by_unread (system_id=? AND for_member=?)',
    ],
  ]

  test('numbers of unread posts', async () => {
    statements.length = 0
    await countUnread(recordedDeps, viewer, new AbortController().signal)
    const range = 'USING COVERING INDEX posts_by_unread_count (system_id=? AND written>?'
    expect(statements.flatMap(planOf).filter((detail) => detail.includes('posts'))).toEqual([
      `SEARCH posts ${range})`,
      `SEARCH posts ${range} AND written<?)`,
    ])
  })

  test.each(systemBoard)('%s', async (_, run, reads) => {
    expect(await readsOf('posts', run)).toEqual([
      `SEARCH posts USING ${reads}`,
      // Looks for posts of each member that is being deleted, of which there are few.
      'SEARCH posts USING INDEX posts_by_board (system_id=? AND for_member=?)',
    ])
  })
})

/** Returns the different lines of plans that read a table. Sorting is a read of all of it. */
async function readsOf(table: string, run: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0
  await run()
  const plan = statements.flatMap(planOf)
  expect(plan.filter((detail) => detail.startsWith('USE TEMP B-TREE'))).toEqual([])
  const reads = new RegExp(`^(SEARCH|SCAN) ${table}\\b`)
  return [...new Set(plan.filter((detail) => reads.test(detail)))]
}
