import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../tools/serverProcess'

/** Runs a script in a temporary copy of this machine, with these files in its root directory. */
export function runOnMachine(script: string, files: readonly string[]) {
  const folder = join(emptyFolder(), 'machine')
  mkdirSync(folder)
  const { stdout, stderr, exitCode } = Bun.spawnSync([
    ...['unshare', '--mount', '--net', '--pid', '--fork', '--kill-child'],
    ...[join(import.meta.dir, './machine.sh'), folder, script, ...files],
  ])
  return { out: `${stdout}`, err: `${stderr}`, code: exitCode }
}

/** Copies the package with another version, to a file of this name. */
export function withVersion(deb: string, version: string, name: string): string {
  const folder = emptyFolder()
  const [content, copy] = [join(folder, 'content'), join(folder, name)]
  Bun.spawnSync(['dpkg-deb', '-R', deb, content])
  const control = join(content, 'DEBIAN/control')
  const text = readFileSync(control, 'utf8')
  writeFileSync(control, text.replace(/^Version: .*$/m, `Version: ${version}`))
  Bun.spawnSync(['dpkg-deb', '--root-owner-group', '-Znone', '-b', content, copy])
  return copy
}
