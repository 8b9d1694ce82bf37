import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ImportReport } from '../../src/service/transfer/import/importRun'
import { fixture } from '../formats/fixture'
import { folderWithDatabase } from '../tools/emptyDatabase'
import { commandLine } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

const FAILED = 1
const { run, runJson } = commandLine()
const cwd = folderWithDatabase()
const plain = Buffer.from(fixture('pluralkit.json'))
const compressed = gzipSync(plain)
await runJson<ImportReport>(['import', '-', '--new'], { cwd, stdin: plain })

describe('a file to import', () => {
  test('import reads standard input, compressed or not', async () => {
    for (const stdin of [plain, compressed]) {
      const report = await runJson<ImportReport>(['import', '-', '--system', 'qvexmp'], {
        cwd,
        stdin,
      })
      expect(report).toMatchObject({ format: 'pluralkit', members: { unchanged: 2 } })
    }
  })

  test('import applies IMPORT_LIMIT while it reads and decompresses', async () => {
    const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024))
    writeFileSync(join(cwd, 'bomb.gz'), bomb)
    writeFileSync(join(cwd, 'short.gz'), compressed.subarray(0, -20))
    const env = { IMPORT_LIMIT: '1MiB' }
    const into = ['--system', 'qvexmp']
    const ended = await Promise.all([
      run(['import', 'bomb.gz', ...into], { cwd, env }),
      run(['import', '-', ...into], { cwd, env, stdin: bomb }),
      run(['import', '-', ...into], { cwd, env, stdin: Buffer.alloc(2 * 1024 * 1024) }),
      run(['import', 'short.gz', ...into], { cwd, env }),
      run(['import', '-', ...into], { cwd, env, stdin: Buffer.alloc(0) }),
    ])
    expect(ended.map(({ code, out }) => [code, out])).toEqual(Array(5).fill([FAILED, '']))
    expect(ended.map(({ err }) => err)).toEqual([
      'multitude: bomb.gz, decompressed, is larger than 1048576 bytes (IMPORT_LIMIT).\n',
      'multitude: standard input, decompressed, is larger than 1048576 bytes (IMPORT_LIMIT).\n',
      'multitude: standard input is larger than 1048576 bytes (IMPORT_LIMIT).\n',
      'multitude: short.gz cannot be decompressed: it is truncated or damaged.\n',
      expect.stringMatching(/^multitude: (?!\d{3}:)[^\n]+\n$/),
    ])
  })
})

describe('an exported file', () => {
  const withoutTime = (text: string) => text.trim().replace(/"exported_at":"[^"]*"/, '')

  test('export writes to standard output for - and to devices', async () => {
    const [none, dash, device] = await Promise.all([
      run(['export', 'qvexmp'], { cwd }),
      run(['export', 'qvexmp', '--out', '-'], { cwd }),
      run(['export', 'qvexmp', '--out', '/dev/null'], { cwd }),
    ])
    expect(withoutTime(dash.out)).toBe(withoutTime(none.out))
    expect(device).toMatchObject({ code: 0, out: 'Exported system qvexmp to /dev/null.\n' })
    expect(existsSync(join(cwd, '-'))).toBe(false)
    const { out } = await run(['export', 'qvexmp', '--out', '-'], { cwd })
    const report = await runJson<ImportReport>(['import', '-', '--system', 'qvexmp'], {
      cwd,
      stdin: Buffer.from(out),
    })
    expect(report).toMatchObject({ members: { unchanged: 2 } })
  })
})
