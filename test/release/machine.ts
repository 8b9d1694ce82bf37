import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../serverProcess'

/** Runs a script in a copy of this machine that is gone afterwards, with these files in its root. */
export function runOnMachine(script: string, files: readonly string[]) {
  const place = join(emptyFolder(), 'machine')
  mkdirSync(place)
  const { stdout, stderr, exitCode } = Bun.spawnSync([
    ...['unshare', '--mount', '--net', '--pid', '--fork', '--kill-child'],
    ...[join(import.meta.dir, 'machine.sh'), place, script, ...files],
  ])
  return { out: `${stdout}`, err: `${stderr}`, code: exitCode }
}

/** The package under another version, as a file of this name. */
export function withVersion(deb: string, version: string, name: string): string {
  const folder = emptyFolder()
  const [content, made] = [join(folder, 'content'), join(folder, name)]
  Bun.spawnSync(['dpkg-deb', '-R', deb, content])
  const control = join(content, 'DEBIAN/control')
  const text = readFileSync(control, 'utf8')
  writeFileSync(control, text.replace(/^Version: .*$/m, `Version: ${version}`))
  Bun.spawnSync(['dpkg-deb', '--root-owner-group', '-Znone', '-b', content, made])
  return made
}
