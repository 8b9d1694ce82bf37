import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'
import type { Target } from './runtimes'
import { type ZipEntry, zip } from './zip'

/** Files that every archive contains beside the executable. */
export interface CommonFiles {
  readonly folder: string
  readonly version: string
  /** Time of the commit in seconds since 1970, so that a commit always gives the same archives. */
  readonly builtAt: number
}

/** Writes the common files with the executable for this machine. */
export async function writeCommonFiles(program: string, common: CommonFiles): Promise<void> {
  const { folder } = common
  await mkdir(join(folder, 'completions'), { recursive: true })
  for (const file of ['LICENSE', 'README.md', 'docs', 'examples/multitude.service'])
    await cp(file, join(folder, file.split('/').at(-1) ?? file), { recursive: true })
  for (const [shell, file] of Object.entries(completionFiles))
    await Bun.write(
      join(folder, 'completions', file),
      await $`${program} completion ${shell}`.text(),
    )
  await Bun.write(join(folder, 'multitude.1'), await $`${program} man`.text())
}

/** File names that the shells expect. */
export const completionFiles = {
  bash: 'multitude.bash',
  zsh: '_multitude',
  fish: 'multitude.fish',
} as const

/** Packs an executable and the common files into an archive. Returns its file name. */
export async function pack(
  executable: string,
  target: Target,
  common: CommonFiles,
  work: string,
): Promise<string> {
  const name = `multitude-${common.version}-${target}`
  const folder = join(work, name)
  await cp(common.folder, folder, { recursive: true })
  if (target.startsWith('windows')) {
    await cp(executable, join(folder, 'multitude.exe'))
    await Bun.write(`dist/${name}.zip`, zip(await windowsFiles(folder, name)))
    return `${name}.zip`
  }
  await cp(executable, join(folder, 'multitude'))
  if (!target.startsWith('linux')) await $`rm ${join(folder, 'multitude.service')}`
  await $`chmod -R u=rwX,go=rX ${folder}`
  const owned = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner']
  await $`tar ${owned} --mtime=@${common.builtAt} -C ${work} -c ${name} | gzip -n > ${`dist/${name}.tar.gz`}`
  return `${name}.tar.gz`
}

/** Windows has no use for the manual page, the unit file and the completions. */
async function windowsFiles(folder: string, name: string): Promise<ZipEntry[]> {
  const names = await readdir(folder, { recursive: true })
  const wanted = names.filter((file) => /^(multitude\.exe|LICENSE|.*\.md)$/.test(file)).toSorted()
  return Promise.all(
    wanted.map(async (file) => ({
      name: `${name}/${file.replaceAll('\\', '/')}`,
      content: await Bun.file(join(folder, file)).bytes(),
    })),
  )
}
