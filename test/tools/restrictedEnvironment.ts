import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'

/** Runs commands as an unprivileged user, or on a disk that is small or read-only. */

type CommandLine = readonly string[]

const isRoot = process.getuid?.() === 0

/** Returns the command for a user other than root; files of the tests belong to root then. */
export const asUnprivileged = (command: CommandLine): string[] => {
  if (!isRoot) return [...command]
  // By default only its owner can read the folder of the program.
  const [executable = ''] = command
  chmodSync(dirname(executable), 0o755)
  return ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...command]
}

/** Returns the command with a disk of this size mounted on the folder, after a script prepared it. */
export const onSmallDisk = (size: string, folder: string, prepare: string, command: CommandLine) =>
  inMountNamespace(
    `mount -t tmpfs -o size=${size} none "$0" && cd "$0" && ${prepare}`,
    folder,
    command,
  )

/** Returns the command with the folder mounted read-only. */
export const onReadOnlyDisk = (folder: string, command: CommandLine) =>
  inMountNamespace(
    'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0"',
    folder,
    command,
  )

/** Shell command that fills the disk of the current folder. */
export const FILL = 'cat /dev/zero > filler 2> /dev/null || true'

function inMountNamespace(script: string, folder: string, command: CommandLine): string[] {
  return ['unshare', '-rm', '/bin/sh', '-c', `${script}\nexec "$@"`, folder, ...command]
}

export const canDropPrivileges =
  !isRoot ||
  succeeds(['setpriv', '--reuid', '65534', '--clear-groups', process.execPath, '--version'])
export const canMount = succeeds(inMountNamespace('mount -t tmpfs none "$0"', '/tmp', ['true']))

if (!canDropPrivileges)
  process.stderr.write('NOT TESTED: commands of an unprivileged user (no setpriv)\n')
if (!canMount) process.stderr.write('NOT TESTED: full and read-only disks (no user namespaces)\n')

function succeeds(command: string[]): boolean {
  try {
    return Bun.spawnSync(command).exitCode === 0
  } catch {
    return false
  }
}
