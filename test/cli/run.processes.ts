import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { until } from '../tools/until'

const { words } = commandLine()

describe('scripts', () => {
  test('openapi prints the complete document to a slow reader', async () => {
    const folder = emptyFolder()
    const fifo = join(emptyFolder(), 'fifo')
    Bun.spawnSync(['mkfifo', fifo])
    const child = Bun.spawn(['/bin/sh', '-c', 'exec "$@" > "$0"', fifo, ...words, 'openapi'], {
      cwd: folder,
      env: {},
    })
    const reader = openSync(fifo, 'r')
    // Reads when the pipe is full.
    const writtenBytes = () =>
      Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1])
    await until(() => writtenBytes() >= 64 * 1024)
    const text = readFileSync(reader, 'utf8')
    closeSync(reader)
    expect(await child.exited).toBe(0)
    expect(text.length).toBeGreaterThan(64 * 1024)
    expect(JSON.parse(text)).toHaveProperty('paths./v2/systems/{systemRef}.get')
    expect(readdirSync(folder)).toEqual([])
  })
})
