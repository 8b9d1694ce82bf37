import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixture } from '../../formats/fixture'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'

const { words } = commandLine()
const cwd = emptyFolder()
const FILES = ['pluralkit.json', 'pluralkit-nasty.json', 'tupperbox.json', 'simplyplural.json']
for (const name of FILES) writeFileSync(join(cwd, name), fixture(name))

describe('import', () => {
  test('import shows a progress bar on a terminal and clears it', async () => {
    const switches = Array.from({ length: 6000 }, (_, at) => ({
      timestamp: new Date(1.6e12 + at * 1000).toISOString(),
      members: [],
    }))
    const here = emptyFolder()
    writeFileSync(join(here, 'long.json'), JSON.stringify({ switches }))
    let shown = ''
    const decoder = new TextDecoder()
    const child = Bun.spawn([...words, 'import', 'long.json', '--new'], {
      cwd: here,
      env: {},
      terminal: {
        data(_, bytes) {
          shown += decoder.decode(bytes, { stream: true })
        },
      },
    })
    expect(await child.exited).toBe(0)
    // The last output may arrive after the exit.
    await until(() => shown.includes('\r\x1b[KPluralKit → system '))
    expect(shown).toMatch(/\r[█░]{30} \d+ of 6000/)
  })
})

describe('failing imports and exports', () => {
  writeFileSync(join(cwd, 'other.json'), '{"hello":"SECRET"}')
  writeFileSync(join(cwd, 'broken.json'), '{"switches":["SECRET"')
})
