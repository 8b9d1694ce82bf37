import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ImportReport } from '../../src/service/transfer/importContext'
import { fixture } from '../formats/fixture'
import { commandLine, emptyFolder } from '../serverProcess'

// Processes take their time on a busy machine.
setDefaultTimeout(30_000)

const FAILED = 1
const { run, runJson } = await commandLine()
const cwd = emptyFolder()
const plain = Buffer.from(fixture('pluralkit.json'))
const packed = gzipSync(plain)
await runJson<ImportReport>(['import', '-', '--new'], { cwd, stdin: plain })

describe('a file to import', () => {
  test('comes from standard input, packed or not', async () => {
    for (const stdin of [plain, packed]) {
      const report = await runJson<ImportReport>(['import', '-', '--system', 'qvexmp'], {
        cwd,
        stdin,
      })
      expect(report).toMatchObject({ format: 'pluralkit', members: { unchanged: 2 } })
    }
  })

  test('may be packed, whatever it is called', async () => {
    writeFileSync(join(cwd, 'system.json.gz'), packed)
    writeFileSync(
      join(cwd, 'packed.json'),
      Buffer.concat([gzipSync('{'), gzipSync(plain.subarray(1))]),
    )
    writeFileSync(join(cwd, 'unpacked.gz'), plain)
    for (const name of ['system.json.gz', 'packed.json', 'unpacked.gz'])
      expect(
        await runJson<ImportReport>(['import', name, '--system', 'qvexmp'], { cwd }),
      ).toMatchObject({ format: 'pluralkit', members: { unchanged: 2 } })
  })

  test('is held to its limit as it is unpacked, and no more memory is taken', async () => {
    const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024))
    writeFileSync(join(cwd, 'bomb.gz'), bomb)
    writeFileSync(join(cwd, 'short.gz'), packed.subarray(0, -20))
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
      'multitude: bomb.gz, unpacked, is larger than 1048576 bytes (IMPORT_LIMIT).\n',
      'multitude: standard input, unpacked, is larger than 1048576 bytes (IMPORT_LIMIT).\n',
      'multitude: standard input is larger than 1048576 bytes (IMPORT_LIMIT).\n',
      'multitude: short.gz cannot be unpacked: it is cut short or damaged.\n',
      expect.stringMatching(/^multitude: (?!\d{3}:)[^\n]+\n$/),
    ])
  })
})

describe('an exported file', () => {
  const timeless = (text: string) => text.trim().replace(/"exported_at":"[^"]*"/, '')

  test('does not take the place of another, unless it is forced', async () => {
    const path = join(cwd, 'mine.json')
    writeFileSync(path, 'precious')
    const refused = await run(['export', 'qvexmp', '--out', 'mine.json'], { cwd })
    expect(refused).toEqual({
      code: FAILED,
      out: '',
      err: 'multitude: mine.json exists already; --force overwrites it.\n',
    })
    expect(readFileSync(path, 'utf8')).toBe('precious')
    const forced = await run(['export', 'qvexmp', '--out', 'mine.json', '--force'], { cwd })
    expect(forced.code).toBe(0)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id: 'qvexmp' })
    expect(readdirSync(cwd).filter((name) => name.includes('partial'))).toEqual([])
  })

  test('goes to standard output for -, and to whatever else takes it', async () => {
    const [none, dash, device] = await Promise.all([
      run(['export', 'qvexmp'], { cwd }),
      run(['export', 'qvexmp', '--out', '-'], { cwd }),
      run(['export', 'qvexmp', '--out', '/dev/null'], { cwd }),
    ])
    expect(timeless(dash.out)).toBe(timeless(none.out))
    expect(device).toMatchObject({ code: 0, out: 'System qvexmp is written to /dev/null.\n' })
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
  test('are sentences, without the numbers of HTTP', async () => {
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
