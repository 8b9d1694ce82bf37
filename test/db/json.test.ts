import { describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { isoOf, jsonOf } from '../../src/db/json'
import { groups, members, systems } from '../../src/db/tables'
import type { Entity } from '../../src/model/entity'
import type { Field } from '../../src/model/field'
import { group } from '../../src/model/group'
import { member } from '../../src/model/member'
import { see } from '../../src/model/privacy'
import { system } from '../../src/model/system'
import { formatInstant } from '../../src/model/time'
import { toV2 } from '../../src/wire/v2'
import { home } from '../kit'

const { deps, makeSystem } = home()

/** Anything a field may hold, with everything that JSON has to escape. */
function valuesOf(field: Field): fc.Arbitrary<unknown> {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .map((value) => `${value.replaceAll('\0', '')}"\\/\u0007\u001f\u007f\n\t\u2028é🦊`)
  const instant = fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 })
  const orNull = (value: fc.Arbitrary<unknown>) =>
    field.initial === null ? fc.option(value, { nil: null }) : value
  switch (field.kind) {
    case 'flag':
      return orNull(fc.boolean())
    case 'count':
      return orNull(fc.nat())
    case 'timestamp':
      return orNull(instant)
    case 'proxyTags':
      return fc.array(fc.record({ prefix: fc.option(text), suffix: fc.option(text) }), {
        maxLength: 3,
      })
    default:
      return orNull(text)
  }
}

function rowsOf(entity: Entity): fc.Arbitrary<Record<string, unknown>> {
  const fields = entity.entries.map(([key, field]) => [key, valuesOf(field)])
  const levels = entity.levels.map((level) => [level, fc.constantFrom('public', 'private')])
  return fc.record(Object.fromEntries([...fields, ...levels]))
}

const nouns = [
  { entity: system, table: systems, name: 'systems' },
  { entity: member, table: members, name: 'members' },
  { entity: group, table: groups, name: 'groups' },
] as const

describe('JSON built inside SQLite', () => {
  test.each(
    nouns.flatMap((noun) => (['owner', 'others'] as const).map((eyes) => ({ ...noun, eyes }))),
  )(
    'is what see and toV2 make of any row of $name for $eyes',
    async ({ entity, table, name, eyes }) => {
      const me = await makeSystem()
      await fc.assert(
        fc.asyncProperty(rowsOf(entity), async (values) => {
          const found = await deps.transact(async (tx) => {
            await tx.delete(table).where(sql`hid = 'zzzzz'`)
            const identity = { hid: 'zzzzz', uuid: crypto.randomUUID(), system_id: me.id }
            await tx.insert(table).values({ ...values, ...identity } as never)
            const json = sql<string>`${sql.raw(jsonOf(entity, name, eyes))}`
            const row = await tx.select().from(table).where(sql`hid = 'zzzzz'`).get()
            const text = await tx.select({ json }).from(table).where(sql`hid = 'zzzzz'`).get()
            return { row, json: text?.json }
          })
          const seen = see<Entity>(entity, found.row as never, eyes === 'owner')
          const spelled = JSON.stringify(toV2(entity, seen))
          expect(found.json).toBe(spelled)
        }),
        { numRuns: 60 },
      )
    },
    30_000,
  )

  test('writes every instant as formatInstant does', async () => {
    const instant = fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 })
    const whole = fc.integer({ min: -9_000_000_000, max: 9_000_000_000 }).map((s) => s * 1_000_000)
    await fc.assert(
      fc.asyncProperty(fc.oneof(instant, whole), async (micros) => {
        const iso = sql<string>`${sql.raw(isoOf(String(micros)))}`
        const row = await deps.db.select({ iso }).from(sql`(select 1)`).get()
        expect(row?.iso).toBe(formatInstant(micros))
      }),
      { numRuns: 300 },
    )
  })
})
