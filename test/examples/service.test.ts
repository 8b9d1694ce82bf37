import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArguments } from '../../src/cli/arguments'
import { serveCommand } from '../../src/cli/commands/serve'
import { describe, expect, test } from '../tools/test'

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
})
