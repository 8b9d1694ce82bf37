import { readFile } from '../../../src/formats/read'
import { fillDefaults } from '../../../src/model/core/entity'
import { group } from '../../../src/model/groups/group'
import { member } from '../../../src/model/members/member'
import { expect, test } from '../../tools/test'
import { emptySnapshot, now, textOf } from './snapshots'

test('writes and reads 1,000 members, 250 groups and 100,000 switches completely', async () => {
  const letters = 'abcdefghij'
  const hid = (n: number) =>
    [...String(n).padStart(6, '0')].map((digit) => letters[Number(digit)]).join('')
  const members = Array.from({ length: 1000 }, (_, n) => ({
    ...fillDefaults(member, { name: `Member ${n}`, description: 'x'.repeat(500) }),
    hid: hid(n),
    uuid: crypto.randomUUID(),
  }))
  const groups = Array.from({ length: 250 }, (_, n) => ({
    ...fillDefaults(group, { name: `Group ${n}` }),
    hid: hid(n),
    uuid: crypto.randomUUID(),
    members: members.slice(0, 200).map((row) => row.hid),
  }))
  const switches = Array.from({ length: 100_000 }, (_, n) => ({
    uuid: crypto.randomUUID(),
    timestamp: now - n * 60_000_001,
    members: [hid(n % 1000), hid((n * 7 + 1) % 1000)],
  }))
  const bundle = readFile(await textOf({ ...emptySnapshot, members, groups, switches: [switches] }))
  expect(bundle.repairs).toEqual([])
  expect(bundle.switches).toHaveLength(100_000)
  expect(bundle.groups[249]?.members).toHaveLength(200)
})
