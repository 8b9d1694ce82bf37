import fc from 'fast-check'
import { createInserter } from '../../src/db/rows'
import { switches } from '../../src/db/tables'
import type { Entity, Row } from '../../src/model/core/entity'
import type { Field } from '../../src/model/core/field'
import { formatId, isIdOf } from '../../src/model/core/platform'
import { Problem } from '../../src/model/core/validation'
import { group } from '../../src/model/groups/group'
import { member } from '../../src/model/members/member'
import { autoproxy } from '../../src/model/proxy/autoproxy'
import { memberGuild, systemGuild } from '../../src/model/proxy/guild'
import { settings } from '../../src/model/systems/settings'
import { system } from '../../src/model/systems/system'
import type { Deps } from '../../src/service/core/deps'
import { insertGroup } from '../../src/service/groups/groups'
import { insertMember } from '../../src/service/members/members'
import { insertMembership } from '../../src/store/groups/membershipRows'
import { storeAutoproxyRow } from '../../src/store/proxy/autoproxyRows'
import { storeMemberGuild, storeSystemGuild } from '../../src/store/proxy/guildRows'
import { updateSettings } from '../../src/store/systems/settingRows'
import { insertSystem } from '../../src/store/systems/systemRows'
import { insert } from '../tools/rawSql'
import { statement } from '../tools/rawStatement'

const instant = fc.integer({ min: -(2 ** 40), max: 2 ** 52 })
const snowflake = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String),
  fc
    .string({ unit: 'binary', maxLength: 255 })
    .filter((id) => isIdOf('matrix', id))
    .map((id) => formatId({ platform: 'matrix', id })),
)
/** Index of a member. */
const memberIndex = fc.nat({ max: 3 })
const guilds = { selector: (row: { guild_id: string }) => row.guild_id, maxLength: 3 }

/** Arbitrary system of four members with values that the program accepts. */
export const anySystem = fc.record({
  system: rowOf(system),
  settings: rowOf(settings),
  accounts: fc.uniqueArray(fc.record({ id: snowflake, autoproxy_enabled: fc.boolean() }), {
    selector: ({ id }) => id,
    maxLength: 3,
  }),
  members: fc.array(rowOf(member), { minLength: 4, maxLength: 4 }),
  groups: fc.array(
    fc.record({ row: rowOf(group), members: fc.uniqueArray(memberIndex, { maxLength: 4 }) }),
    { maxLength: 3 },
  ),
  switches: fc.uniqueArray(
    fc.record({ timestamp: instant, members: fc.uniqueArray(memberIndex, { maxLength: 4 }) }),
    { selector: ({ timestamp }) => timestamp, maxLength: 6 },
  ),
  systemGuilds: fc.uniqueArray(fc.record({ guild_id: snowflake, row: rowOf(systemGuild) }), guilds),
  memberGuilds: fc.uniqueArray(
    fc.record({ guild_id: snowflake, member: memberIndex, row: rowOf(memberGuild) }),
    guilds,
  ),
  autoproxy: fc.uniqueArray(
    fc.record({ guild_id: snowflake, member: memberIndex, row: rowOf(autoproxy) }),
    guilds,
  ),
  kept: fc.array(
    fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
  ),
})

type AnySystem = typeof anySystem extends fc.Arbitrary<infer S> ? S : never

const addSwitch = createInserter(switches, ['uuid', 'system_id', 'timestamp'])
const addAccount = statement<'id' | 'enabled' | 'system'>(`
   insert into accounts (id, autoproxy_enabled, system_id) values (:id, :enabled, :system)
   on conflict do nothing`)

/** Inserts a generated system directly into the tables. Returns its row ID. */
export async function insertGeneratedSystem(
  { deps }: { deps: Deps },
  any: AnySystem,
): Promise<number> {
  return deps.transact('new', async (tx) => {
    const { id } = await insertSystem(tx, any.system)
    await updateSettings(deps, tx, id, any.settings)
    for (const account of any.accounts)
      await addAccount(tx).run({
        id: account.id,
        enabled: Number(account.autoproxy_enabled),
        system: id,
      })
    const memberIds: number[] = []
    for (const row of any.members) memberIds.push((await insertMember(tx, id, row)).id)
    const memberAt = (at: number) => memberIds[at] ?? 0
    for (const { row, members } of any.groups) {
      const created = await insertGroup(tx, id, row)
      for (const at of members) await insertMembership(tx, created.id, memberAt(at))
    }
    for (const { timestamp, members } of any.switches) {
      const uuid = crypto.randomUUID()
      const switch_id = await addSwitch(tx, { uuid, system_id: id, timestamp })
      for (const [position, at] of members.entries())
        await insert(tx, 'switch_members', { switch_id, position, member_id: memberAt(at) })
    }
    for (const { guild_id, row } of any.systemGuilds)
      await storeSystemGuild(tx, { ...row, system_id: id, guild_id })
    for (const { guild_id, member, row } of any.memberGuilds)
      await storeMemberGuild(tx, { ...row, member_id: memberAt(member), guild_id })
    for (const { guild_id, member, row } of any.autoproxy) {
      const hasMember = row.autoproxy_mode === 'member' || row.autoproxy_mode === 'latch'
      const autoproxy_member = hasMember ? memberAt(member) : null
      await storeAutoproxyRow(tx, { ...row, autoproxy_member, system_id: id, guild_id })
    }
    for (const content of new Set(any.kept.map((row) => JSON.stringify(row))))
      await insert(tx, 'import_archive', {
        system_id: id,
        collection: 'notes',
        content,
        digest: content,
      })
    return id
  })
}

/** Arbitrary row of a field table, with values that an owner can set. */
function rowOf<E extends Entity>(entity: E): fc.Arbitrary<Row<E>> {
  const fields = entity.entries.map(([key, field]) => [key, anyValue(key, field)])
  const levels = entity.levels.map((level) => [level, fc.constantFrom('public', 'private')])
  return fc.record(Object.fromEntries([...fields, ...levels])) as fc.Arbitrary<Row<E>>
}

function anyValue(key: string, field: Field): fc.Arbitrary<unknown> {
  // Limits and webhook addresses are not exported.
  if (/_limit$|^webhook_url$/.test(key)) return fc.constant(field.defaultValue)
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: field.max ?? 20 }),
    fc.constantFrom(' ', '\t', '12345678901234567890', '"\\', '</script>', '__proto__'),
  )
  const part = fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 47 }))
  const values: Partial<Record<Field['kind'], fc.Arbitrary<unknown>>> = {
    text,
    color: fc.constantFrom('00ff00', 'abcdef'),
    url: fc.constantFrom('https://a.example/a.png', 'HTTPS://a.example', 'http://a.example'),
    date: fc.constantFrom('0001-03-04', '0004-02-29', '1990-12-31'),
    flag: fc.boolean(),
    count: fc.nat(),
    choice: fc.constantFrom(...(field.choices ?? ['none'])),
    timezone: fc.constantFrom('UTC', 'Europe/Oslo'),
    texts: fc.array(text, { maxLength: 3 }),
    proxyTags: fc.array(fc.record({ prefix: part, suffix: part })),
  }
  if (field.kind === 'timestamp') return key === 'created' ? instant : fc.option(instant)
  const value = (values[field.kind] ?? fc.constant(field.defaultValue))
    .map((given) => field.parse(given))
    .filter((read) => !(read instanceof Problem))
  return field.nullable ? fc.option(value, { nil: field.defaultValue }) : value
}
