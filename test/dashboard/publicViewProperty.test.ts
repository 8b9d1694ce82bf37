import fc from 'fast-check'
import type {
  Group,
  Member,
  PublicFront,
  PublicSwitch,
  System,
} from '../../src/dashboard/api/types'
import {
  findNamingLists,
  hidden,
  publicGroupMembers,
  publicMember,
  publicView,
  RECENT_SWITCHES,
} from '../../src/dashboard/features/privacy/publicView'
import { parseInstant } from '../../src/model/core/time'
import { insertToken } from '../../src/store/access/tokenRows'
import { anySystem, insertGeneratedSystem } from '../service/anySystem'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type RequestOptions } from '../tools/testApp'

const app = createTestApp()

interface OwnSwitch {
  id: string
  timestamp: string
  members: string[]
}

interface Totals {
  members: { member: string; time: number; stints: number }[]
}

/** Reads a system as its owner and as an anonymous caller; `hidden` for a list it may not read. */
async function createReaders(systemId: number) {
  const { deps, ask } = app
  const token = await deps.transact({ system: systemId }, (tx) =>
    insertToken(deps, tx, systemId, 'test'),
  )
  const asOwner: RequestOptions = { headers: { authorization: token } }
  const read = async <T>(path: string, options: RequestOptions) => {
    const { status, json } = await ask<T>(`GET ${path}`, options)
    return status === 403 ? hidden : json
  }
  return {
    own: async <T>(path: string) => (await ask<T>(`GET /v2${path}`, asOwner)).json,
    anonymous: <T>(path: string, version = '/v2') => read<T>(`${version}${path}`, {}),
  }
}

/** Returns what pages show of the front. */
const shownOf = (front: PublicFront | typeof hidden | null) =>
  front === hidden || front === null
    ? front
    : {
        since: front.since,
        fronters: front.fronters.map(({ member, status }) => ({ member, status })),
      }

const toJson = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('what the page says others see', () => {
  test('equals the responses to anonymous requests, for random systems', async () => {
    await fc.assert(
      fc.asyncProperty(anySystem, async (any) => {
        const { own, anonymous } = await createReaders(await insertGeneratedSystem(app, any))
        const system = await own<System>('/systems/@me')
        const members = await own<Member[]>('/systems/@me/members')
        const groups = await own<Group[]>('/systems/@me/groups?with_members=true')
        const switches = (await own<OwnSwitch[]>('/systems/@me/switches')).map((one) => ({
          ...one,
          timestamp: parseInstant(one.timestamp) ?? 0,
        }))
        const path = `/systems/${system.id}`
        const front = shownOf(await anonymous<PublicFront | null>(`${path}/front`, '/ext/v1'))
        const history = await anonymous<PublicSwitch[]>(`${path}/switches`)

        expect(toJson(publicView({ system, members, fields: [], groups, switches }))).toEqual({
          system: await anonymous(path),
          members: await anonymous(`${path}/members`),
          fields: [],
          groups: await anonymous(`${path}/groups?with_members=true`),
          front,
          switches: history === hidden ? hidden : history.slice(0, RECENT_SWITCHES),
        })

        for (const one of groups)
          expect(toJson(publicGroupMembers(one, members))).toEqual(
            await anonymous(`/groups/${one.id}/members`),
          )

        const ownTotals = await own<Totals>('/systems/@me/fronting/totals')
        const totals = await anonymous<Totals>(`${path}/fronting/totals`)
        for (const one of members) {
          const said = publicMember(one, { system, groups })
          expect(await anonymous(`/members/${one.id}`)).toEqual({
            ...toJson(said.member),
            system: system.id,
          })
          expect(toJson(said.groups)).toEqual(await anonymous(`/members/${one.id}/groups`))
          const isHere = switches[0]?.members.includes(one.id) ?? false
          expect(said.isInFronters && isHere).toBe(
            front !== hidden &&
              (front?.fronters.some(({ member }) => member.id === one.id) ?? false),
          )
          const wasHere = switches.some((past) => past.members.includes(one.id))
          expect(said.isInHistory && wasHere).toBe(
            history !== hidden && history.some((past) => past.members.includes(one.id)),
          )
          const stints = `fronting/stints?member=${one.id}&since=1900-01-01`
          const shownStints = await anonymous<unknown[]>(`${path}/${stints}`)
          const isOf = ({ member }: { member: string }) => member === one.id
          const shownTotal = totals === hidden ? undefined : totals.members.find(isOf)
          expect(shownStints === hidden ? [] : shownStints).toEqual(
            said.hasTimes ? await own<unknown[]>(`/systems/@me/${stints}`) : [],
          )
          expect(shownTotal).toEqual(said.hasTimes ? ownTotals.members.find(isOf) : undefined)
        }

        const named = findNamingLists(system)
        expect([named.includes('fronters'), named.includes('history')]).toEqual([
          front !== hidden,
          history !== hidden,
        ])
      }),
      { numRuns: rounds(6) },
    )
  })
})
