import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

const script = join(import.meta.dir, '../../.ci/release/install.sh')

function writeProgram(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
}

/** Creates a release for Alpine Linux whose program only prints its name. */
function makeRelease(): string {
  const folder = emptyFolder('release-')
  for (const arch of ['x64', 'arm64']) {
    const name = `multitude-0.0.0-linux-${arch}-musl`
    mkdirSync(join(folder, name, 'completions'), { recursive: true })
    for (const file of ['multitude.bash', '_multitude', 'multitude.fish'])
      writeFileSync(join(folder, name, 'completions', file), '')
    writeFileSync(join(folder, name, 'multitude.1'), '')
    writeProgram(join(folder, name, 'multitude'), 'echo multitude 0.0.0')
    Bun.spawnSync(['tar', '-czf', `${name}.tar.gz`, name], { cwd: folder })
  }
  const { stdout } = Bun.spawnSync(['sh', '-c', 'sha256sum *.tar.gz'], { cwd: folder })
  writeFileSync(join(folder, 'SHA256SUMS'), stdout)
  return folder
}

/** Runs the install script with an `ldd` that prints what musl's does. */
function install(prefix: string, answer: string) {
  const programs = emptyFolder('programs-')
  writeProgram(
    join(programs, 'ldd'),
    `[ "$1" = --version ] && { echo 'musl libc (x86_64)' >&2; exit 1; }\n${answer}`,
  )
  const { stdout, stderr, exitCode } = Bun.spawnSync(['sh', script, makeRelease(), prefix], {
    env: { PATH: `${programs}:${process.env.PATH}` },
  })
  return { out: `${stdout}`, err: `${stderr}`, code: exitCode }
}

describe('the install script on Alpine Linux', () => {
  test('install.sh names the package to install when libstdc++ is missing, and installs nothing', () => {
    const prefix = emptyFolder()
    const { err, code } = install(
      prefix,
      'echo "Error loading shared library libstdc++.so.6: No such file or directory (needed by $1)" >&2; exit 127',
    )
    expect(err).toBe(
      'install.sh: libstdc++ is missing, run "apk add libstdc++" first: nothing was installed\n',
    )
    expect(code).toBe(1)
    expect(readdirSync(prefix)).toEqual([])
  })

  test('install.sh installs the program when libstdc++ is installed', () => {
    const prefix = emptyFolder()
    const { out, err, code } = install(prefix, 'echo "libstdc++.so.6 => /usr/lib/libstdc++.so.6"')
    expect([err, code]).toEqual(['', 0])
    expect(out).toStartWith('multitude 0.0.0\n')
    expect(readdirSync(join(prefix, 'bin'))).toEqual(['multitude'])
  })
})
