import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

const unit = join(import.meta.dir, '../../examples/multitude.service')
const lines = readFileSync(unit, 'utf8').split('\n')

describe('systemd unit', () => {
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
  )
})
