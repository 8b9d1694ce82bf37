import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../tools/test'

/** Waiting for a time, and measuring one. Timers of a clock that is passed in are fine. */
const realTime =
  /Bun\.sleep|waitForTimeout|(?<![.\w])set(Timeout|Interval)\(|performance\.now\(|Bun\.nanoseconds\(|hrtime|Date\.now\(\) - (began|start|before|since|sent)/

/** Files and folders that may use real time, with the reason. */
const allowed: Record<string, string> = {
  'cli/corruption.processes.ts': 'a program that it starts waits for its own server',
  'cluster/delay.ts': 'stands in for a slow network',
  'discord/standIn/': 'a program of its own, with its own clock',
  'postgres/engine.ts': 'waits for a real server, outside of the tests',
  'postgres/templateDatabases.ts': 'waits for a real server, outside of the tests',
  'contract/realTime.test.ts': 'lists what is rejected',
  'tools/serverProcess.ts': 'ends processes that hang',
  'tools/test.ts': 'knows when Bun ends a test',
  'tools/test.processes.ts': 'tests the time limit of tests',
  'tools/testClock.ts': 'defines the timers of the test clock',
  'tools/until.ts': 'polls for conditions',
}

const folder = join(import.meta.dir, '..')
const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(folder)].sort()

test('tests await conditions or advance a clock instead of using real time', () => {
  const uses = files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (realTime.test(line) ? [{ file, line: index + 1 }] : [])),
  )
  const names = Object.keys(allowed)
  const rejected = uses.filter(({ file }) => !names.some((name) => file.startsWith(name)))
  expect(rejected.map(({ file, line }) => `test/${file}:${line} depends on real time`)).toEqual([])
  const unused = names.filter((name) => !uses.some(({ file }) => file.startsWith(name)))
  expect(unused).toEqual([])
})
