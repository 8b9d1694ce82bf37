import type { Viewer } from '../../../src/model/core/privacy'
import type { Deps } from '../../../src/service/core/deps'
import { listBuckets, putBucketContents } from '../../../src/service/friends/buckets'
import { acceptInvite, createInvite } from '../../../src/service/friends/friendInvites'
import { listFriends } from '../../../src/service/friends/friends'
import { findFriendFronts } from '../../../src/service/friends/sharedData'
import {
  changeSwitchMembers,
  createSwitch,
  deleteSwitch,
  moveSwitch,
} from '../../../src/service/front/switches'
import { createGroup } from '../../../src/service/groups/groups'
import { createMember } from '../../../src/service/members/members'
import { at } from '../../tools/scenarios'
import { createRecorder } from '../../tools/statementRecorder'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { deps, makeSystem } = createTestApp()
const { statements, recordStatements } = createRecorder()

const recordedDeps: Deps = {
  ...deps,
  db: recordStatements(deps.db),
  transact: (of, work) => deps.transact(of, (tx) => work(recordStatements(tx))),
}

/** Returns the recorded statements that use a name. */
async function statementsWith(name: string, run: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0
  await run()
  expect(statements).not.toEqual([])
  return statements.filter((text) => text.includes(name))
}

async function createViewer(): Promise<Viewer> {
  const { id } = await makeSystem('Harbour')
  return { system: id, platform: null }
}

describe('a system without friends', () => {
  test('needs no statement about friends when a switch is logged, moved, edited or deleted', async () => {
    const viewer = await createViewer()
    const { row } = await createMember(deps, viewer, { name: 'Wren' })
    const first = { members: [row.uuid], timestamp: at('2026-03-22T08:30:00Z') }
    await createSwitch(deps, viewer, '@me', first)
    const found = await statementsWith('friend_notify_due', async () => {
      const next = { members: [], timestamp: at('2026-03-22T09:30:00Z') }
      const { uuid } = await createSwitch(recordedDeps, viewer, '@me', next)
      await moveSwitch(recordedDeps, viewer, '@me', uuid, at('2026-03-22T10:30:00Z'))
      await changeSwitchMembers(recordedDeps, viewer, '@me', uuid, [row.uuid])
      await deleteSwitch(recordedDeps, viewer, '@me', uuid)
    })
    expect(found).toEqual([])
  })

  test('needs no statement about buckets when a member or a group is created', async () => {
    const viewer = await createViewer()
    const create = async () => {
      await createMember(recordedDeps, viewer, { name: 'Wren' })
      await createGroup(recordedDeps, viewer, { name: 'Littles' })
    }
    expect(await statementsWith('default_for', create)).toEqual([])
    await createInvite(deps, viewer, { share: {} })
    expect(await statementsWith('default_for', create)).not.toEqual([])
  })
})

describe('a system with friends', () => {
  test('reads many friends with as many statements as one', async () => {
    const viewer = await createViewer()
    const befriend = async () => {
      const friend = await createViewer()
      const { row } = await createMember(deps, friend, { name: 'Wren' })
      const members = [row.uuid]
      await createSwitch(deps, friend, '@me', { members, timestamp: null })
      const { code } = await createInvite(deps, friend, { share: {} })
      const accepted = await acceptInvite(deps, viewer, code, { share: {} })
      const [first] = await listBuckets(deps, friend)
      await putBucketContents(deps, friend, first?.bucket.uuid ?? '', { members })
      return accepted?.uuid ?? ''
    }
    const uuids: string[] = []
    const count = async () => {
      statements.length = 0
      const listed = await listFriends(recordedDeps, viewer)
      const fronts = await findFriendFronts(recordedDeps, viewer, uuids)
      for (const front of [...fronts.values(), ...listed.map((one) => one.front)])
        expect(front?.fronters.map(({ member: { name } }) => name)).toEqual(['Wren'])
      expect([listed.length, fronts.size]).toEqual([uuids.length, uuids.length])
      return statements.length
    }
    uuids.push(await befriend())
    const ofOne = await count()
    for (let friends = 1; friends < 10; friends++) uuids.push(await befriend())
    expect(await count()).toBe(ofOne)
  })
})
