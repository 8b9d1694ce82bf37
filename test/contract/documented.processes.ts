import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fixture } from '../formats/fixture'
import { freePort } from '../postgres/engine'
import { commandLine, emptyFolder, runCommand } from '../tools/serverProcess'
import { describe, expect, withTimeout } from '../tools/test'
import { type Block, blocksBy, blocksOf } from './documented'

// Starting processes is slow on a busy machine.
const { test } = withTimeout(240_000)

const curl = Bun.which('curl')
const canRun = curl !== null && Bun.which('node') !== null && Bun.which('npx') !== null
if (!canRun) process.stderr.write('NOT TESTED: documented commands (no curl, node or npx)\n')

describe.if(canRun)('documented commands', async () => {
  const { words, runJson, startServer } = commandLine()
  const cwd = emptyFolder()
  const server = await startServer(['--dispatch-allow', '127.0.0.1'], { cwd })
  const DATABASE_URL = `file:${join(cwd, 'data/multitude.db')}`
  const { id, token } = await runJson<{ id: string; token: string }>(['system', 'create'], { cwd })
  const headers = { authorization: token }
  const membersUrl = `${server.address}/v2/members`
  const createMember = async (name: string) => {
    const body = JSON.stringify({ name })
    const response = await fetch(membersUrl, { method: 'POST', headers, body })
    return ((await response.json()) as { id: string }).id
  }
  const [wren, iris] = [await createMember('Wren'), await createMember('Iris')]

  const home = emptyFolder()
  for (const folder of ['bin', 'share/zsh/site-functions', 'share/man/man1'])
    mkdirSync(join(home, folder), { recursive: true })
  for (const folder of ['.local/share/bash-completion/completions', '.config/fish/completions'])
    mkdirSync(join(home, folder), { recursive: true })
  const install = (name: string, line: string) => {
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\nexec ${line} "$@"\n`)
    chmodSync(join(home, 'bin', name), 0o755)
  }
  install('multitude', words.map((word) => `'${word}'`).join(' '))
  // An error of the server must end the block.
  install('curl', `${curl} --silent --show-error --fail-with-body`)
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    DATABASE_URL,
    TOKEN: token,
    API: `${server.address}/v2`,
  }

  const port = await freePort()
  const [receiver] = blocksOf('docs/events.md', 'js')
  writeFileSync(join(home, 'receiver.mjs'), receiver?.text.replace('9000', `${port}`) ?? '')

  /** Replaces placeholders by values of this test, and adapts commands to a shell without a terminal. */
  const replacements: [shown: RegExp, typed: string][] = [
    [/http:\/\/127\.0\.0\.1:8080/g, server.address],
    [/…the token…/g, token],
    [/\b(ycsntu|abcdef|SYSTEM)\b/g, id],
    [/\buphsrt\b/g, wren],
    [/\bnutpxx\b/g, iris],
    [/\b2027-/g, '2222-'],
    [/127\.0\.0\.1:9000/g, `127.0.0.1:${port}`],
    [/^(multitude (?:restore|invite revoke) \S+)/gm, '$1 --yes'],
    [/\/usr\/local\/share/g, join(home, 'share')],
    [/< system\.json/g, '< other.json'],
    [/^curl -X PUT .+$/gm, '$& > webhook.json'],
    [
      /^SIGNING_TOKEN='…' node receiver\.mjs$/gm,
      `SIGNING_TOKEN=$(node -p 'require("./webhook.json").token') node ~/receiver.mjs > /dev/null 2>&1 &
       trap 'kill $!' EXIT
       until node -e 'require("net").connect(${port}, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(1))'; do sleep 0.1; done`,
    ],
  ]

  const adapt = ({ text }: Block) =>
    replacements.reduce((before, [shown, instead]) => before.replace(shown, instead), text)

  const runBlock = async (block: Block) => {
    // Commands that name src/main.ts run in the repository.
    const folder = block.text.includes('src/main.ts')
      ? join(import.meta.dir, '../..')
      : emptyFolder()
    if (/\b(system|tuppers)\.json\b/.test(block.text) && !block.text.includes('--out')) {
      writeFileSync(join(folder, 'system.json'), fixture('pluralkit.json'))
      writeFileSync(join(folder, 'system.json.gz'), gzipSync(fixture('pluralkit-old.json')))
      writeFileSync(join(folder, 'other.json'), fixture('simplyplural.json'))
      writeFileSync(join(folder, 'tuppers.json'), fixture('tupperbox.json'))
    }
    const { code, out, err } = await runCommand(['/bin/sh', '-e', '-c', adapt(block)], {
      cwd: folder,
      env,
    })
    expect([block.text, code, code === 0 ? '' : out + err]).toEqual([block.text, 0, ''])
  }

  test.each(blocksBy('shell').map((block) => [`${block.page}: ${firstLine(block)}`, block]))(
    'the documented commands work: %s',
    (_, block) => runBlock(block as Block),
  )

  test.each(
    blocksBy('shell, stopped').map((block) => [`${block.page}: ${firstLine(block)}`, block]),
  )('the documented commands work when the server is stopped: %s', async (_, block) => {
    server.kill('SIGTERM')
    await server.end()
    await runBlock(block as Block)
  })
})

function firstLine({ text }: Block): string {
  return text.split('\n')[0] ?? ''
}
