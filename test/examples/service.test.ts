import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArguments } from '../../src/cli/arguments'
import { serveCommand } from '../../src/cli/serve'
import { emptyFolder } from '../serverProcess'
import { describe, expect, test } from '../test'

const unit = join(import.meta.dir, '../../examples/multitude.service')
const lines = readFileSync(unit, 'utf8').split('\n')
const valuesOf = (key: string) =>
  lines.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []))

describe('systemd unit', () => {
  test('the systemd unit starts the server with valid flags', () => {
    const [program, command, ...flags] = valuesOf('ExecStart').join().split(' ')
    expect([program, command]).toEqual(['/usr/local/bin/multitude', 'serve'])
    expect(parseArguments(serveCommand, flags).flags).toEqual({ 'env-file': '/etc/multitude.env' })
  })

  test('the systemd unit uses notifications and the watchdog', () => {
    expect(valuesOf('Type')).toEqual(['notify'])
    expect(Number(valuesOf('WatchdogSec'))).toBeGreaterThanOrEqual(30)
    expect(valuesOf('TimeoutStartSec')).toEqual(['15min'])
  })

  test('the systemd unit does not restrict what the server needs', () => {
    expect(valuesOf('StateDirectory')).toEqual(['multitude'])
    expect(valuesOf('RestrictAddressFamilies')).toEqual(['AF_INET AF_INET6 AF_UNIX'])
    for (const forbidden of ['MemoryDenyWriteExecute', 'PrivateNetwork', 'IPAddressDeny'])
      expect(valuesOf(forbidden)).toEqual([])
  })

  const analyze = Bun.which('systemd-analyze')
  const title = 'the systemd unit has an exposure level below 2'
  test.skipIf(!analyze)(
    analyze ? title : `${title} (skipped: systemd-analyze is not installed)`,
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

  const validTitle = 'the systemd unit is valid'
  test.skipIf(!analyze)(
    analyze ? validTitle : `${validTitle} (skipped: systemd-analyze is not installed)`,
    () => {
      // The program is not installed here, so the unit refers to another executable.
      const copy = join(emptyFolder(), 'multitude.service')
      writeFileSync(copy, lines.join('\n').replace('/usr/local/bin/multitude', process.execPath))
      const { stdout, stderr, exitCode } = Bun.spawnSync(
        [analyze ?? '', 'verify', '--man=no', copy],
        { env: { LC_ALL: 'C.UTF-8' } },
      )
      const problems = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('multitude'))
      expect([exitCode, problems]).toEqual([0, []])
    },
    30_000,
  )
})
