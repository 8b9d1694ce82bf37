import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { $ } from 'bun'
import { type CommonFiles, completionFiles } from './archive'

/** Debian's names of the architectures. */
export const debianNames = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' } as const

/** Paths from which Debian's shells load the completions of packages. */
const completionPaths = {
  bash: 'usr/share/bash-completion/completions/multitude',
  zsh: 'usr/share/zsh/vendor-completions/_multitude',
  fish: 'usr/share/fish/vendor_completions.d/multitude.fish',
} as const

/** Builds a package for Debian and its derivatives. Returns its file name. */
export async function packDeb(
  executable: string,
  arch: (typeof debianNames)[keyof typeof debianNames],
  common: CommonFiles,
  work: string,
): Promise<string> {
  const version = common.version.replace('-', '~')
  const root = join(work, `deb-${arch}`)
  const put = async (from: string, to: string) => {
    await mkdir(dirname(join(root, to)), { recursive: true })
    await cp(from, join(root, to))
  }
  const write = (to: string, text: string) => Bun.write(join(root, to), text)

  await put(executable, 'usr/bin/multitude')
  await put('.ci/release/deb/multitude.env', 'etc/multitude.env')
  const unit = await Bun.file(join(common.folder, 'multitude.service')).text()
  await write('lib/systemd/system/multitude.service', unit.replace('/usr/local/bin/', '/usr/bin/'))
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    await put(join(common.folder, 'completions', completionFiles[shell]), completionPaths[shell])
  await put(join(common.folder, 'multitude.1'), 'usr/share/man/man1/multitude.1')
  await put('.ci/release/deb/copyright', 'usr/share/doc/multitude/copyright')
  await cp(join(common.folder, 'docs'), join(root, 'usr/share/doc/multitude'), { recursive: true })
  await put('CHANGELOG.md', 'usr/share/doc/multitude/CHANGELOG.md')
  const readme = await Bun.file(join(common.folder, 'README.md')).text()
  // In the package the pages of docs are in the same folder.
  await write('usr/share/doc/multitude/README.md', readme.replaceAll(/(\]\(|src=")docs\//g, '$1'))
  await put('.ci/release/deb/overrides', 'usr/share/lintian/overrides/multitude')
  await write('usr/share/doc/multitude/changelog', changelogOf(version, common.builtAt))
  await $`gzip -9n ${join(root, 'usr/share/man/man1/multitude.1')}`
  await $`gzip -9n ${join(root, 'usr/share/doc/multitude/changelog')}`

  for (const script of ['postinst', 'prerm', 'postrm'])
    await put(`.ci/release/deb/${script}`, `DEBIAN/${script}`)
  await write('DEBIAN/conffiles', '/etc/multitude.env\n')
  const size = (await $`du -sk --apparent-size ${root}`.text()).split('\t')[0]
  const control = await Bun.file('.ci/release/deb/control').text()
  await write(
    'DEBIAN/control',
    control
      .replace('VERSION', version)
      .replace('ARCH', arch)
      .replace('SIZE', size ?? '0'),
  )

  await $`chmod -R u=rwX,go=rX ${root}`
  await $`chmod 755 ${join(root, 'usr/bin/multitude')}`.quiet()
  for (const script of ['postinst', 'prerm', 'postrm'])
    await $`chmod 755 ${join(root, 'DEBIAN', script)}`
  await $`find ${root} -exec touch -hd @${common.builtAt} {} +`
  const name = `multitude_${version}_${arch}.deb`
  await $`dpkg-deb --root-owner-group -Zxz -z2 --build ${root} ${`dist/${name}`}`
    .env({ ...process.env, SOURCE_DATE_EPOCH: String(common.builtAt) })
    .quiet()
  return name
}

function changelogOf(version: string, builtAt: number): string {
  const day = new Date(builtAt * 1000).toUTCString().replace('GMT', '+0000')
  return `multitude (${version}) unstable; urgency=medium

  * Release ${version}. See CHANGELOG.md in this folder for the changes.

 -- The Multitude authors <packages@multitude.invalid>  ${day}
`
}
