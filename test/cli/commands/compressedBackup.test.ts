import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { describe, expect, test } from '../../tools/test'

describe('a compressed backup', () => {
  test('restore rejects a truncated compressed backup', async () => {
    const cwd = folderWithDatabase()
    await runJson(['system', 'create'], { cwd })
    await runJson(['backup', 'whole.db.zst', '--compress', 'zstd'], { cwd })
    const whole = readFileSync(join(cwd, 'whole.db.zst'))
    writeFileSync(join(cwd, 'half.db.zst'), whole.subarray(0, whole.length / 2))
    const before = readFileSync(join(cwd, 'data/multitude.db'))
    const { code, err } = await run(['restore', 'half.db.zst', '--yes'], { cwd })
    expect([code, err]).toEqual([1, expect.stringMatching(/^multitude: half\.db\.zst cannot be /)])
    expect(readFileSync(join(cwd, 'data/multitude.db'))).toEqual(before)
    const left = readdirSync(join(cwd, 'data')).filter((name) => /partial|restoring/.test(name))
    expect(left).toEqual([])
  })

  test('restore creates the folder of the database for a compressed backup', async () => {
    const cwd = folderWithDatabase()
    const { id } = await runJson<{ id: string }>(['system', 'create'], { cwd })
    await runJson(['backup', 'whole.db.zst', '--compress', 'zstd'], { cwd })
    const elsewhere = ['--database', 'file:not/there/yet.db']
    await runJson(['restore', 'whole.db.zst', '--yes', ...elsewhere], { cwd })
    expect(await runJson<unknown>(['system', 'list', ...elsewhere], { cwd })).toMatchObject([
      { id },
    ])
  })

  test('backup --compress accepts only zstd and does not overwrite a file', async () => {
    const cwd = folderWithDatabase()
    await runJson(['system', 'create'], { cwd })
    expect((await run(['backup', 'a', '--compress', 'gzip'], { cwd })).code).toBe(2)
    writeFileSync(join(cwd, 'there'), '')
    const { code, err } = await run(['backup', 'there', '--compress', 'zstd'], { cwd })
    expect([code, err]).toEqual([1, 'multitude: there exists already.\n'])
  })
})
