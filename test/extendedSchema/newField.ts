import { join } from 'node:path'
import { test } from '../tools/test'
import { addMigration, copyRepository, edit, expectToPass, replace } from './copy'

/** All stored field tables by file. */
const tables = {
  'systems/system': ['system'],
  'members/member': ['member'],
  'groups/group': ['group'],
  'systems/settings': ['settings'],
  'proxy/guild': ['systemGuild', 'memberGuild', 'guild'],
  'proxy/autoproxy': ['autoproxy'],
}

test('supports new fields of every kind and a new level that only the field table names', async () => {
  const copy = copyRepository()
  for (const [file, names] of Object.entries(tables))
    edit(join(copy, 'src/model', `${file}.ts`), (source) => {
      const extended = names.reduce(
        (text, name) => replace(text, `const ${name} = entity(`, `const ${name} = grown(`),
        source.replace(/^import \{(.*)\bentity, /m, 'import {$1'),
      )
      return `import { grown } from '../../../test/extendedSchema/tables'\n${extended}`
    })
  await addMigration(copy)
  await expectToPass(copy, 'test/extendedSchema/fieldScenario.ts')
})
