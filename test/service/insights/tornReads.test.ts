import { type Instant, MINUTE } from '../../../src/model/core/time'
import { changeSwitchMembers } from '../../../src/service/front/switches'
import { listStints } from '../../../src/service/insights/insights'
import { insertMember } from '../../../src/service/members/members'
import { execute, insertAll } from '../../tools/rawSql'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const NOW: Instant = Date.UTC(2026, 0, 1) * 1000
const { deps, makeSystem } = createTestApp({ now: () => NOW })

const SWITCHES = 30_000

const switchAt = (minutes: number) => `00000000-0000-4000-8000-${String(minutes).padStart(12, '0')}`

test('reads a stint that began long ago on one snapshot while the history changes', async () => {
  const me = await makeSystem()
  const owner = { system: me.id, platform: null }
  const wren = await deps.transact(
    'new',
    async (tx) => {
      const created = await insertMember(tx, me.id, { name: 'Wren' })
      await insertMember(tx, me.id, { name: 'Finch' })
      const switches = Array.from({ length: SWITCHES }, (_, at) => ({
        uuid: switchAt(at + 1),
        system_id: me.id,
        timestamp: NOW - (at + 1) * MINUTE,
      }))
      await insertAll(tx, 'switches', switches)
      // Wren is in every switch except one near the beginning.
      await execute(
        tx,
        `insert into switch_members (switch_id, position, member_id)
         select id, 0, :wren from switches where system_id = :system and timestamp <> :but`,
        { wren: created.id, system: me.id, but: NOW - (SWITCHES - 10) * MINUTE },
      )
      return created
    },
    'long',
  )
  const readStarts = async () => {
    const query = {
      since: NOW - 90_000_000,
      until: null,
      before: null,
      limit: 10,
      member: wren.hid,
    }
    return (await listStints(deps, owner, me.hid, query)).map(({ from }) => from)
  }

  const before = await readStarts()
  const concurrent = readStarts()
  // Once it yields, the newer part changes and then the older one.
  await new Promise((resolve) => setImmediate(resolve))
  await changeSwitchMembers(deps, owner, '@me', switchAt(100), [])
  await changeSwitchMembers(deps, owner, '@me', switchAt(SWITCHES - 10), [wren.hid])
  const after = await readStarts()
  expect(before).toEqual([NOW - (SWITCHES - 11) * MINUTE])
  expect(after).toEqual([NOW - 99 * MINUTE])
  expect([before, [NOW - 99 * MINUTE]]).toContainEqual(await concurrent)
})
