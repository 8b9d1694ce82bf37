import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'
import type { Target } from './runtimes'
import { type Packed, zip } from './zip'

/** What goes with every executable, made once by the one for this machine. */
export interface Papers {
  readonly folder: string
  readonly version: string
  /** Seconds since 1970: the same commit makes the same archives. */
  readonly builtAt: number
}

export async function writePapers(program: string, papers: Papers): Promise<void> {
  const { folder } = papers
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

/** As each shell wants its file to be called. */
export const completionFiles = {
  bash: 'multitude.bash',
  zsh: '_multitude',
  fish: 'multitude.fish',
} as const

/** Packs an executable with its papers, in a folder of the archive's name. Gives the file's name. */
export async function pack(
  executable: string,
  target: Target,
  papers: Papers,
  work: string,
): Promise<string> {
  const name = `multitude-${papers.version}-${target}`
  const folder = join(work, name)
  await cp(papers.folder, folder, { recursive: true })
  if (target.startsWith('windows')) {
    await cp(executable, join(folder, 'multitude.exe'))
    await Bun.write(`dist/${name}.zip`, zip(await filesOfWindows(folder, name)))
    return `${name}.zip`
  }
  await cp(executable, join(folder, 'multitude'))
  if (!target.startsWith('linux')) await $`rm ${join(folder, 'multitude.service')}`
  await $`chmod -R u=rwX,go=rX ${folder}`
  const owned = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner']
  await $`tar ${owned} --mtime=@${papers.builtAt} -C ${work} -c ${name} | gzip -n > ${`dist/${name}.tar.gz`}`
  return `${name}.tar.gz`
}

/** Nothing there reads a manual page, a unit file, or these shells' completions. */
async function filesOfWindows(folder: string, name: string): Promise<Packed[]> {
  const names = await readdir(folder, { recursive: true })
  const wanted = names.filter((file) => /^(multitude\.exe|LICENSE|.*\.md)$/.test(file)).toSorted()
  return Promise.all(
    wanted.map(async (file) => ({
      name: `${name}/${file.replaceAll('\\', '/')}`,
      content: await Bun.file(join(folder, file)).bytes(),
    })),
  )
}
