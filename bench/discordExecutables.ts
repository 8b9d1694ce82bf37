import { join, resolve } from 'node:path'
import { executableOptions } from '../.ci/release/executable'

/** Modules of the bot that others import, and what takes their place in an executable without it. */
const replaced = {
  'src/discord/discordBot.ts': 'export const noGauges = {}, startDiscordBot = () => {}',
  'src/discord/checkBot.ts': 'export const checkBot = () => {}',
}

export interface Executable {
  readonly path: string
  readonly size: number
}

/**
 * Builds the executable with the Discord bot and without it. Both lack the dashboard. Tables, settings
 * and service functions of the bot remain in both, because the bot API has the same functions.
 */
export async function buildExecutables(folder: string) {
  const files = Object.entries(replaced).map(([path, source]) => [resolve(path), source])
  return {
    withBot: await build(join(folder, 'withBot'), {}),
    withoutBot: await build(join(folder, 'withoutBot'), Object.fromEntries(files)),
  }
}

async function build(outfile: string, files: Record<string, string>): Promise<Executable> {
  await Bun.build({ ...executableOptions, files, compile: { outfile } })
  return { path: outfile, size: Bun.file(outfile).size }
}
