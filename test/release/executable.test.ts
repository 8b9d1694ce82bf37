import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isNewerThanSources } from '../../.ci/release/executable'
import { emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'

const files = [
  'src/http/web/page.ts',
  'migrations/0001.sql',
  '.ci/release/deb/control',
  'build.ts',
  'package.json',
  'bun.lock',
]

/** Writes the sources at second 1, and an executable at second 2. */
function writeClone(): { clone: string; executable: string } {
  const clone = emptyFolder()
  const executable = join(clone, 'multitude')
  for (const file of files) {
    mkdirSync(join(clone, dirname(file)), { recursive: true })
    writeFileSync(join(clone, file), '')
  }
  const folders = [
    'src',
    'src/http',
    'src/http/web',
    'migrations',
    '.ci/release/deb',
    '.ci/release',
  ]
  for (const path of [...files, ...folders]) utimesSync(join(clone, path), 1, 1)
  writeFileSync(executable, '')
  utimesSync(executable, 2, 2)
  return { clone, executable }
}

test('an executable is newer than its sources until one is changed, added or removed', () => {
  const { clone, executable } = writeClone()
  expect(isNewerThanSources(executable, clone)).toBe(true)
  for (const file of files) {
    utimesSync(join(clone, file), 3, 3)
    expect([file, isNewerThanSources(executable, clone)]).toEqual([file, false])
    utimesSync(join(clone, file), 1, 1)
  }
  rmSync(join(clone, 'src/http/web/page.ts'))
  utimesSync(join(clone, 'src/http/web'), 3, 3)
  expect(isNewerThanSources(executable, clone)).toBe(false)
})
