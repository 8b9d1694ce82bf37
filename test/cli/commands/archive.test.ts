import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withRawDatabase } from '../../service/transfer/importFixture'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { expect, test } from '../../tools/test'

const cwd = folderWithDatabase()

test('archived rows are listed and converted', async () => {
  const file = { members: [{ _id: 'm1', name: 'Wren' }], friends: [{ _id: 'f1' }] }
  writeFileSync(join(cwd, 'sp.json'), JSON.stringify(file))
  const { system } = await runJson<{ system: string }>(['import', 'sp.json', '--new'], { cwd })
  withRawDatabase(join(cwd, 'data', 'multitude.db'), (database) =>
    database.run(
      `INSERT INTO import_archive (system_id, collection, content, digest)
       SELECT system_id, 'notes', '{"_id":"n1","member":"m1","title":"Oil"}', 'd' FROM import_archive`,
    ),
  )
  expect((await run(['archive', 'list', system], { cwd })).out).toBe(
    [
      'collection  rows  bytes  convertible',
      'friends     1     12     no',
      'notes       1     40     yes',
      '',
    ].join('\n'),
  )
  const planned = await run(['archive', 'convert', system, '--dry-run'], { cwd })
  expect(planned.out).toMatch(/dry run[\s\S]*^notes +1 +0 +0 +0$/m)
  const report = await runJson<object>(['archive', 'convert', system], { cwd })
  expect(report).toMatchObject({ ext: { notes: { added: 1 } } })
  expect(await runJson<object[]>(['archive', 'list', system], { cwd })).toEqual([
    { collection: 'friends', rows: 1, bytes: 12, convertible: false },
  ])
})
