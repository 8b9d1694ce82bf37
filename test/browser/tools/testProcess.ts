import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * What all test files of a process share. `bun test` has no hook for the end of a process, so a
 * shell waits for the end of its input, which the system closes then.
 */

let folder: string | undefined

/** Returns a folder that is deleted after this process. Temporary files of browsers are in it, too. */
export function processFolder(): string {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'multitude-browser-'))
    process.env.TMPDIR = folder
    const remove = 'read _; until rm -rf "$0"; do :; done'
    Bun.spawn(['/bin/sh', '-c', remove, folder], { stdin: 'pipe', stdout: 'ignore' })
  }
  return folder
}

/** Starts a program that is killed after this process. */
export function spawnForProcess(words: readonly string[], cwd: string) {
  return Bun.spawn(['/bin/sh', '-c', '"$0" "$@" & read _; kill -9 $!', ...words], {
    cwd,
    env: {},
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'pipe',
  })
}
