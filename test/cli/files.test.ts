import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ImportReport } from '../../src/service/transfer/import/importRun'
import { fixture } from '../formats/fixture'
import { folderWithDatabase } from '../tools/emptyDatabase'
import { run, runJson } from '../tools/runInProcess'
import { describe, expect, test } from '../tools/test'

const FAILED = 1
const cwd = folderWithDatabase()
const plain = Buffer.from(fixture('pluralkit.json'))
const compressed = gzipSync(plain)
writeFileSync(join(cwd, 'system.json'), plain)
await runJson<ImportReport>(['import', 'system.json', '--new'], { cwd })

describe('a file to import', () => {
  test('import detects compression by content, not by the name of the file', async () => {
    writeFileSync(join(cwd, 'system.json.gz'), compressed)
    writeFileSync(
      join(cwd, 'compressed.json'),
      Buffer.concat([gzipSync('{'), gzipSync(plain.subarray(1))]),
    )
    writeFileSync(join(cwd, 'plain.gz'), plain)
    for (const name of ['system.json.gz', 'compressed.json', 'plain.gz'])
      expect(
        await runJson<ImportReport>(['import', name, '--system', 'qvexmp'], { cwd }),
      ).toMatchObject({ format: 'pluralkit', members: { unchanged: 2 } })
  })
})

describe('an exported file', () => {
  test('export overwrites a file only with --force', async () => {
    const path = join(cwd, 'mine.json')
    writeFileSync(path, 'precious')
    const refused = await run(['export', 'qvexmp', '--out', 'mine.json'], { cwd })
    expect(refused).toEqual({
      code: FAILED,
      out: '',
      err: 'multitude: mine.json already exists; use --force to overwrite it.\n',
    })
    expect(readFileSync(path, 'utf8')).toBe('precious')
    const forced = await run(['export', 'qvexmp', '--out', 'mine.json', '--force'], { cwd })
    expect(forced.code).toBe(0)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id: 'qvexmp' })
    expect(readdirSync(cwd).filter((name) => name.includes('partial'))).toEqual([])
  })
})

describe('errors of the command line', () => {
  test('errors of commands are sentences without HTTP status codes', async () => {
    writeFileSync(join(cwd, 'other.json'), '{"hello":"there"}')
    writeFileSync(join(cwd, 'broken.json'), '{"switches":[')
    const lines = [
      'import other.json --new',
      'import broken.json --new',
      'account link qvexmp 123456789012345678',
      'export qvexmp --members nobody',
    ]
    await run(['system', 'create', '--account', '55555555'], { cwd })
    const ended = await Promise.all([
      ...lines.map((line) => run(line.split(' '), { cwd })),
      run(['account', 'link', 'qvexmp', '55555555'], { cwd }),
    ])
    for (const { err } of ended) if (err) expect(err).toMatch(/^multitude: [A-Z][^\n]+\.\n$/)
    expect(ended.at(-1)?.err).toBe('multitude: The account is linked to another system.\n')
    expect(ended[1]?.err).toMatch(/^multitude: [^(]*JSON/)
  })
})
