import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'

/** Bad circumstances for the program: a user who may little, a disk that is full or read-only. */

type CommandLine = readonly string[]

const isRoot = process.getuid?.() === 0

/** The words as somebody else than root runs them; files of the tests are root's then. */
export const asUnprivileged = (words: CommandLine): string[] => {
  if (!isRoot) return [...words]
  // Where the program lies is else for its maker alone.
  const script = words.find((word) => /\.(js|ts)$/.test(word)) ?? ''
  chmodSync(dirname(script), 0o755)
  return ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...words]
}

/** The words on a disk of that size, mounted on the folder for them alone. A script prepares it. */
export const onSmallDisk = (size: string, folder: string, prepare: string, words: CommandLine) =>
  apart(`mount -t tmpfs -o size=${size} none "$0" && cd "$0" && ${prepare}`, folder, words)

/** The words while nothing in the folder can be written, by nobody. */
export const onReadOnlyDisk = (folder: string, words: CommandLine) =>
  apart('mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0"', folder, words)

/** Fills what is left of the disk it stands on. */
export const FILL = 'cat /dev/zero > filler 2> /dev/null || true'

function apart(script: string, folder: string, words: CommandLine): string[] {
  return ['unshare', '-rm', '/bin/sh', '-c', `${script}\nexec "$@"`, folder, ...words]
}

export const canDropPrivileges =
  !isRoot || works(['setpriv', '--reuid', '65534', '--clear-groups', process.execPath, '--version'])
export const canMount = works(apart('mount -t tmpfs none "$0"', '/tmp', ['true']))

if (!canDropPrivileges) process.stderr.write('NOT TESTED: what another user may not do\n')
if (!canMount) process.stderr.write('NOT TESTED: full and read-only disks (no user namespaces)\n')

function works(words: string[]): boolean {
  try {
    return Bun.spawnSync(words).exitCode === 0
  } catch {
    return false
  }
}
