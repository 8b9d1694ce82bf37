import { findForeignBucketRows, findOneSidedFriendships } from '../../../src/doctor/friendCheck'
import { notifyFriends } from '../../../src/service/friends/friendNotifications'
import { purgeDeleted } from '../../../src/service/systems/purge'
import { deleteSystem } from '../../../src/service/systems/systems'
import { rows } from '../../tools/rawSql'
import type { Json } from '../../tools/scenarios'
import { afterEach, describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const { ask, deps, makeSystem } = createTestApp({ RATE_LIMIT: 'off' })

const send = (as: TestSystem, request: string, body?: unknown) => ask<Json>(request, { as, body })

const createSystems = (...names: string[]) => Promise.all(names.map((name) => makeSystem(name)))

async function inviteFrom(inviter: TestSystem): Promise<{ id: string; code: string }> {
  const { json } = await send(inviter, 'POST /ext/v1/friends/invites', {})
  return { id: String(json.id), code: String(json.code) }
}

const accept = (as: TestSystem, code: string) => send(as, 'POST /ext/v1/friends', { code })

const statusesOf = (responses: readonly { status: number }[]) =>
  responses.map(({ status }) => status).toSorted()

const friendsOf = async (system: TestSystem) =>
  (await send(system, 'GET /ext/v1/friends')).json as unknown as Json[]

afterEach(async () => {
  expect(await findOneSidedFriendships(deps.db)).toEqual([])
  expect(await findForeignBucketRows(deps.db)).toEqual([])
})

describe('friendships that change at once', () => {
  test('an invitation is either accepted or withdrawn', async () => {
    const [inviter, guest] = await createSystems('Inviter', 'Guest')
    if (!inviter || !guest) throw new Error('no systems')
    const { id, code } = await inviteFrom(inviter)
    const [accepted, withdrawn] = await Promise.all([
      accept(guest, code),
      send(inviter, `DELETE /ext/v1/friends/invites/${id}`),
    ])
    expect([
      [201, 404],
      [404, 204],
    ]).toContainEqual([accepted.status, withdrawn.status])
    const friends = accepted.status === 201 ? 1 : 0
    expect([await friendsOf(inviter), await friendsOf(guest)].map(({ length }) => length)).toEqual([
      friends,
      friends,
    ])
  })

  test('two systems that accept invitations of each other become friends once', async () => {
    const [one, other] = await createSystems('One', 'Other')
    if (!one || !other) throw new Error('no systems')
    const [first, second] = await Promise.all([inviteFrom(one), inviteFrom(other)])
    const responses = await Promise.all([accept(other, first.code), accept(one, second.code)])
    expect(statusesOf(responses)).toEqual([201, 409])
    expect(await friendsOf(one)).toHaveLength(1)
  })

  test('both sides edit, switch and end a friendship', async () => {
    const [one, other] = await createSystems('One', 'Other')
    if (!one || !other) throw new Error('no systems')
    const { json } = await accept(other, (await inviteFrom(one)).code)
    const path = `/ext/v1/friends/${json.id}`
    const works = [one, other].flatMap((system) => [
      send(system, `PATCH ${path}`, { notify_me: true, share: { see_members: true } }),
      send(system, 'POST /v2/systems/@me/switches', { members: [] }),
      send(system, `DELETE ${path}`),
    ])
    const [responses] = await Promise.all([Promise.all(works), notifyFriends(deps)])
    expect(responses.filter(({ status }) => status >= 500)).toEqual([])
    expect(statusesOf([responses[2], responses[5]].flatMap((one) => one ?? []))).toEqual([204, 404])
    expect(await friendsOf(one)).toEqual([])
  })

  test('a system is deleted while its invitations are accepted', async () => {
    const [inviter, ...guests] = await createSystems('Inviter', 'First', 'Second', 'Third')
    if (!inviter) throw new Error('no systems')
    const codes: string[] = []
    for (const _ of guests) codes.push((await inviteFrom(inviter)).code)
    const [responses] = await Promise.all([
      Promise.all(guests.map((guest, at) => accept(guest, codes[at] ?? ''))),
      deleteSystem(deps, { system: inviter.id, platform: null }),
    ])
    for (const [at, guest] of guests.entries()) {
      const response = responses[at]
      // A friendship that ended before it was read is not found.
      expect(response?.status === 201 || [29008, 29009].includes(Number(response?.json.code))).toBe(
        true,
      )
      expect(await friendsOf(guest)).toEqual([])
      const events = await rows(
        deps.db,
        `select type from events where system_id = ${guest.id} and type like '%_FRIEND' order by id`,
      )
      const types = events.map(({ type }) => String(type))
      expect([[], ['CREATE_FRIEND', 'DELETE_FRIEND']]).toContainEqual(types)
    }
  })

  test('both systems are deleted while their fronts are compared', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, other, third] = await createSystems('One', 'Other', 'Third')
      if (!one || !other || !third) throw new Error('no systems')
      await accept(other, (await inviteFrom(one)).code)
      for (const system of [one, other]) await accept(third, (await inviteFrom(system)).code)
      await inviteFrom(one)
      for (const system of [one, other])
        await send(system, 'POST /v2/systems/@me/switches', { members: [] })
      await Promise.all([
        deleteSystem(deps, { system: one.id, platform: null }),
        notifyFriends(deps),
        deleteSystem(deps, { system: other.id, platform: null }),
        send(third, 'POST /v2/systems/@me/switches', { members: [] }),
        notifyFriends(deps),
      ])
      await notifyFriends(deps)
      expect(await friendsOf(third)).toEqual([])
      const ended = await rows(
        deps.db,
        `select subject from events where system_id = ${third.id} and type = 'DELETE_FRIEND'`,
      )
      expect(new Set(ended.map(({ subject }) => subject)).size).toBe(2)
      expect(ended).toHaveLength(2)
    }
    await purgeDeleted(deps)
    expect(await rows(deps.db, 'select 1 from friend_notify_due')).toEqual([])
  })
})
