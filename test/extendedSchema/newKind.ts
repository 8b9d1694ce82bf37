import { join } from 'node:path'
import { test } from '../tools/test'
import { addMigration, copyRepository, edit, expectToPass, replace } from './copy'

/** Rows of `ownedKinds`, with what is peculiar to each kind. */
const kinds = `
  teas: {
    entity: tea,
    importPart: 'teas',
    name: 'tea',
    missing: 'notFound',
    order: 'position',
    timeKeys: [],
    references: { member: 'member' },
    limit: { max: 3, what: 'teas' },
    permissions: { read: 'read', write: 'change' },
    validate: validateTea,
    eventKeys: ['member'],
  },
  dreams: {
    entity: dream,
    importPart: 'notes',
    name: 'dream',
    missing: 'notFound',
    order: 'night',
    timeKeys: ['night'],
    references: { member: 'author' },
    limit: { max: 1_000, what: 'dreams' },
    editedKeys: ['text'],
  },
`

const tables = `
export const teas = sqliteTable(
  'teas',
  { ...owned(), ...omit(columnsOf(tea), 'member'), member_id: formerMember() },
  (table) => [
    index('teas_by_system').on(table.system_id, table.position, table.id),
    index('teas_by_member').on(table.member_id),
    index('teas_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

export const dreams = sqliteTable(
  'dreams',
  { ...owned(), ...omit(columnsOf(dream), 'member'), member_id: formerMember() },
  (table) => [
    index('dreams_by_night').on(table.system_id, table.night, table.id),
    index('dreams_by_member').on(table.member_id),
    index('dreams_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)
`

const rowsOfTables = `
  teas: { table: teas, columns: { member: 'member_id' } },
  dreams: { table: dreams, columns: { member: 'member_id' } },
`

test('supports new kinds of objects that only the two tables of kinds name', async () => {
  const copy = copyRepository()
  const entities = '../../test/extendedSchema/kinds'
  edit(
    join(copy, 'src/model/ownedKinds.ts'),
    (source) =>
      `import { dream, tea, validateTea } from '${entities}'\n${replace(source, '\n} as const satisfies', `${kinds}} as const satisfies`)}`,
  )
  edit(
    join(copy, 'src/db/tables/ext.ts'),
    (source) => `import { dream, tea } from '../${entities}'\n${source}${tables}`,
  )
  edit(
    join(copy, 'src/db/ownedTables.ts'),
    (source) =>
      `import { dreams, teas } from './tables'\n${replace(source, '\n}\n\nconst ownedTables', `${rowsOfTables}}\n\nconst ownedTables`)}`,
  )
  await addMigration(copy)
  await expectToPass(copy, 'test/extendedSchema/kindScenario.ts')
})
