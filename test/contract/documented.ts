import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Blocks of commands in the documents, and the test that runs each of them. */

const root = join(import.meta.dir, '../..')

export interface Block {
  readonly page: string
  readonly text: string
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

/** Code blocks of a page in this language, in order. */
export function blocksOf(page: string, language: string): Block[] {
  const fences = readPage(page).matchAll(/^( *)```(\w+)\n(.*?)^ *```/gms)
  return [...fences]
    .filter(([, , shown]) => shown === language)
    .map(([, indent = '', , text = '']) => ({
      page,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }))
}

export function listBlocks(): Block[] {
  const docs = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
  return ['README.md', ...docs.toSorted().map((file) => `docs/${file}`)].flatMap((page) =>
    blocksOf(page, 'sh'),
  )
}

/** Test that runs a block; "shell" is `documented.processes.ts`, with the server running or stopped. */
export type Runner = 'shell' | 'shell, stopped' | 'package' | 'by hand' | 'bots' | 'none'

/** Every block of commands by the start of its text, with its runner, or the reason for none. */
export const runners: [page: string, start: string, runner: Runner, why?: string][] = [
  [
    'README.md',
    'npm start',
    'none',
    'runs the server and the tests from the source, as .ci/run does',
  ],
  ['README.md', 'bun install', 'none', 'the same without npm'],
  ['README.md', 'npx bun src/main.ts system create', 'shell'],
  ['README.md', 'export TOKEN', 'shell'],
  ['docs/api.md', 'curl $API/systems/@me/tokens', 'shell'],
  ['docs/bots.md', 'multitude bot create --name console', 'none', 'test/examples runs the bot'],
  ['docs/bots.md', 'multitude bot create --name my-bot', 'shell'],
  ['docs/bots.md', 'curl $API/bot/accounts', 'bots'],
  ['docs/bots.md', 'curl $API/bot/systems', 'bots'],
  ['docs/bots.md', 'curl $API/bot/proxy', 'bots'],
  ['docs/bots.md', 'curl $API/bot/messages', 'bots'],
  ['docs/bots.md', 'curl -X PATCH "$API/v2/systems/@me/autoproxy', 'bots'],
  ['docs/bots.md', 'curl $API/v2/members', 'bots'],
  ['docs/bots.md', 'curl -X POST $API/v2/systems/@me/link-code', 'bots'],
  ['docs/bots.md', 'curl $API/bot/link', 'bots'],
  ['docs/cluster.md', 'sudo -u postgres createuser', 'package'],
  ['docs/cluster.md', 'multitude copy', 'package'],
  ['docs/data.md', 'multitude import', 'shell'],
  ['docs/data.md', 'curl "$API/systems/@me/import', 'shell'],
  ['docs/data.md', 'multitude export', 'shell'],
  ['docs/data.md', 'curl -OJ', 'shell'],
  ['docs/data.md', 'multitude backup', 'shell, stopped'],
  ['docs/data.md', 'sudo -u multitude multitude doctor', 'package'],
  ['docs/events.md', 'curl -X PUT $API/systems/@me/webhook', 'shell'],
  ['docs/fronting.md', 'multitude front', 'shell'],
  ['docs/operating.md', 'sudo apt install ./multitude_0.1.0', 'package'],
  ['docs/operating.md', 'sudo apt install caddy', 'package'],
  ['docs/operating.md', 'sudo systemctl restart multitude', 'package'],
  ['docs/operating.md', 'sudo -u multitude multitude login --setup', 'package'],
  ['docs/operating.md', "echo 'BACKUP_COMMAND", 'package'],
  ['docs/operating.md', 'sudo apt install prometheus', 'package'],
  ['docs/operating.md', 'sudo -u multitude multitude restore', 'package'],
  ['docs/operating.md', 'sudo apt install ./multitude_0.2.0', 'package'],
  ['docs/operating.md', 'multitude completion bash', 'shell'],
  [
    'docs/operating.md',
    'sudo apt install ./multitude_0.1.0',
    'none',
    'the package is installed above, and the install script is run by test/release/releaseFiles.ts',
  ],
  [
    'docs/operating.md',
    'DOMAIN=',
    'none',
    'needs docker; test/release runs the files of the image',
  ],
  ['docs/operating.md', 'npm run build', 'none', 'test/release builds by the same commands'],
  ['docs/operating.md', 'sudo install dist/multitude', 'by hand'],
  ['docs/operating.md', 'sudo systemctl daemon-reload', 'by hand'],
  ['docs/operating.md', '#!/bin/sh', 'package'],
  ['docs/operating.md', 'sudo apt install rsync openssh-client', 'package'],
  ['docs/operating.md', 'sudo apt install rsync openssh-server', 'package'],
  ['docs/operating.md', 'sudo -u multitude ssh', 'package'],
  ['docs/operating.md', 'multitude invite create', 'shell'],
  ['docs/operating.md', 'multitude stats', 'shell'],
  ['docs/operating.md', 'sudo install dist/multitude', 'by hand'],
  ['docs/operating.md', 'sudo systemctl stop multitude', 'by hand'],
  ['docs/performance.md', 'bun run bench', 'none', 'takes long; .ci/run runs three of them'],
]

/** Returns the blocks with this runner. */
export function blocksBy(runner: Runner): Block[] {
  return listBlocks().filter((_, at) => runners[at]?.[2] === runner)
}
