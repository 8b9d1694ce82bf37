import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArguments } from '../../src/cli/arguments'
import { serveCommand } from '../../src/cli/serve'
import { emptyFolder } from '../serverProcess'

const unit = join(import.meta.dir, '../../examples/multitude.service')
const lines = readFileSync(unit, 'utf8').split('\n')
const linesOf = (key: string) =>
  lines.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []))

describe('the unit file', () => {
  test('starts the server with flags that it knows', () => {
    const [program, command, ...flags] = linesOf('ExecStart').join().split(' ')
    expect([program, command]).toEqual(['/usr/local/bin/multitude', 'serve'])
    expect(parseArguments(serveCommand, flags).flags).toEqual({ 'env-file': '/etc/multitude.env' })
  })

  test('is told how the program fares', () => {
    expect(linesOf('Type')).toEqual(['notify'])
    expect(Number(linesOf('WatchdogSec'))).toBeGreaterThanOrEqual(30)
    expect(linesOf('TimeoutStartSec')).toEqual(['15min'])
  })

  test('leaves the program what it needs', () => {
    expect(linesOf('StateDirectory')).toEqual(['multitude'])
    expect(linesOf('RestrictAddressFamilies')).toEqual(['AF_INET AF_INET6 AF_UNIX'])
    for (const deadly of ['MemoryDenyWriteExecute', 'PrivateNetwork', 'IPAddressDeny'])
      expect(linesOf(deadly)).toEqual([])
  })

  const analyze = Bun.which('systemd-analyze')
  const title = 'is exposed to less than 2 of 10, by the measure of systemd'
  test.skipIf(!analyze)(
    analyze ? title : `${title} (skipped: there is no systemd-analyze here)`,
    () => {
      const { stdout, stderr, exitCode } = Bun.spawnSync(
        [analyze ?? '', 'security', '--offline=true', '--threshold=19', '--no-pager', unit],
        { env: { LC_ALL: 'C.UTF-8' } },
      )
      const [, level] = /exposure level for multitude\.service: ([\d.]+)/.exec(`${stdout}`) ?? []
      expect(Number(level)).toBeLessThan(2)
      expect([exitCode, `${stderr}`]).toEqual([0, ''])
    },
    30_000,
  )

  const correct = 'has nothing that systemd does not understand'
  test.skipIf(!analyze)(
    analyze ? correct : `${correct} (skipped: there is no systemd-analyze here)`,
    () => {
      // The program is not installed here; that another is started makes no difference.
      const copy = join(emptyFolder(), 'multitude.service')
      writeFileSync(copy, lines.join('\n').replace('/usr/local/bin/multitude', process.execPath))
      const { stdout, stderr, exitCode } = Bun.spawnSync(
        [analyze ?? '', 'verify', '--man=no', copy],
        { env: { LC_ALL: 'C.UTF-8' } },
      )
      const ours = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('multitude'))
      expect([exitCode, ours]).toEqual([0, []])
    },
    30_000,
  )
})
