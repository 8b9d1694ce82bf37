import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ImportReport } from '../../src/service/transfer/importContext'
import { fixture } from '../formats/fixture'
import { commandLine, emptyFolder } from '../serverProcess'
import { describe, expect, test } from '../test'

const FAILED = 1
const { run, runJson } = await commandLine()
const cwd = emptyFolder()
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
