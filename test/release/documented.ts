import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksBy, blocksOf, type Runner } from '../contract/documented'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { runOnMachine } from './machineCopy'

/** Runs the documented commands that need a machine, in a copy of this machine. */

const here = import.meta.dir
const root = join(here, '../..')

export interface Machine {
  /** Package of this version, and of a later one. */
  readonly deb: string
  readonly laterDeb: () => string
  readonly executable: string
}

/** Programs that the documents use and that must be installed. */
export const programs = 'adduser apt caddy ip pg_ctlcluster promtool rsync sshd sudo'.split(' ')

/** Runs a script in the copy. Returns its output if it failed, else an empty text. */
function runScript(script: string, files: readonly string[]): string {
  const path = join(emptyFolder(), 'script')
  writeFileSync(path, script)
  const { code, out, err } = runOnMachine(path, [join(here, 'systemctl.sh'), ...files])
  return code === 0 ? '' : `${out}${err}`
}

/** Prepares the machine: without Multitude, and with names for other machines. */
const BEFORE = `
set -eux
export DEBIAN_FRONTEND=noninteractive
cd /root
install -m 755 /systemctl.sh /usr/local/bin/systemctl
rm -rf /etc/multitude.env /usr/bin/multitude /usr/local/bin/multitude /var/lib/multitude
# Otherwise apt would look for newer versions, without a network.
rm -rf /var/lib/apt/lists/*
echo "127.0.0.1 localhost elsewhere.example db $(hostname)" > /etc/hosts
# Confirms the fingerprint of the host.
printf '#!/bin/sh\necho yes\n' > /yes
chmod 755 /yes
export SSH_ASKPASS=/yes SSH_ASKPASS_REQUIRE=force
echo 'Defaults env_keep += "SSH_ASKPASS SSH_ASKPASS_REQUIRE"' > /etc/sudoers.d/tests
mkdir -p /run/sshd
ssh-keygen -A
/usr/sbin/sshd
`

const [packageSettings = '', manualSettings = ''] = blocksOf('docs/operating.md', 'ini').map(
  ({ text }) => text,
)

/** Hands out the code blocks of a runner, each once. */
function takeBlocks(runner: Runner) {
  const left = blocksBy(runner).map(({ text }) => text)
  return {
    take(start: string, replaced: Readonly<Record<string, string>> = {}): string {
      const at = left.findIndex((text) => text.startsWith(start))
      if (at === -1) throw new Error(`there is no block that begins with ${start}`)
      const [text = ''] = left.splice(at, 1)
      return Object.entries(replaced).reduce(
        (before, [shown, typed]) => before.replaceAll(shown, typed),
        // Without a terminal, restore needs --yes.
        text.replaceAll(/(multitude restore \S+)$/gm, '$1 --yes'),
      )
    },
    left: () => left,
  }
}

/** Waits for the backup that the server creates when it starts. */
const WAIT = `
for _ in $(seq 300); do ls /var/lib/multitude/backups/multitude-2* 2>/dev/null && break; sleep 0.2; done
`

const BACKUP = 'sudo -u multitude multitude backup /var/lib/multitude/backups'

function packageScript(deb: string, laterDeb: string): [script: string, left: string[]] {
  const { take, left } = takeBlocks('package')
  const install = (shown: string, file: string) =>
    // The package starts the service only if systemd runs.
    take(`sudo apt install ./${shown}`, {
      [`./${shown}_amd64.deb`]: `/${file.split('/').at(-1)}`,
    }).replace('\n', '\nsystemctl restart multitude\n')
  const script = [
    BEFORE,
    install('multitude_0.1.0', deb),
    take('sudo apt install caddy'),
    `cat > /etc/multitude.env <<'END'\n${packageSettings}END\n`,
    take('sudo systemctl restart multitude'),
    take('sudo -u multitude multitude login --setup'),
    WAIT,
    `cat > /usr/local/bin/multitude-ship <<'END'\n${take('#!/bin/sh')}END\n`,
    take('sudo apt install rsync openssh-client'),
    take('sudo apt install rsync openssh-server', {
      "'restrict ssh-ed25519 AAAA… multitude'":
        '"restrict $(cat /var/lib/multitude/.ssh/id_ed25519.pub)"',
    }),
    take('sudo -u multitude ssh'),
    'cmp /var/lib/multitude/backups/multitude-2* /home/multitude-backup/multitude/multitude-2*\n',
    take("echo 'BACKUP_COMMAND"),
    take('sudo apt install prometheus'),
    `${BACKUP}/multitude-20261115T030000Z.db.zst --compress zstd\n`,
    take('sudo -u multitude multitude restore'),
    install('multitude_0.2.0', laterDeb),
    `${BACKUP}/multitude-20260101T030000Z.db\n`,
    take('sudo -u multitude multitude doctor'),
    'systemctl stop multitude\npg_ctlcluster $(pg_lsclusters -h | cut -d " " -f 1,2) start\n',
    take('sudo -u postgres createuser', {
      'sudo -u postgres createuser': "printf 'secret\\nsecret\\n' | sudo -u postgres createuser",
    }),
    'export PGPASSWORD=secret\n',
    take('multitude copy'),
    'multitude system list --database postgres://multitude@db/multitude | grep "Lantern Hill"\n',
  ].join('')
  return [script, left()]
}

function manualScript(): [script: string, left: string[]] {
  const { take, left } = takeBlocks('by hand')
  const script = [
    BEFORE,
    'mkdir dist old examples\n',
    'cp /multitude dist/\ncp /multitude old/\ncp /multitude.service examples/\n',
    take('sudo install dist/multitude'),
    `cat > /etc/multitude.env <<'END'\n${manualSettings}END\n`,
    // Without a journal, the log is in /served.
    take('sudo systemctl daemon-reload', { 'journalctl -u multitude': 'cat /served' }),
    'sudo -u multitude multitude system create --name "Lantern Hill"\n',
    take('sudo install dist/multitude'),
    'copy=/var/lib/multitude/multitude.db.pre-upgrade-20261115T183651164Z\n',
    'sudo -u multitude multitude backup $copy\n',
    take('sudo systemctl stop multitude'),
    'sudo -u multitude multitude system list | grep "Lantern Hill"\n',
  ].join('')
  return [script, left()]
}

export function runDocumented(machine: Machine, isMissing: boolean): void {
  describe('documented commands in a copy of this machine', () => {
    test.skipIf(isMissing)(
      'the documented commands for the package work, including copies on another machine',
      () => {
        const files = [machine.deb, machine.laterDeb()] as const
        const [script, left] = packageScript(...files)
        expect(left).toEqual([])
        expect(runScript(script, files)).toBe('')
      },
    )

    test.skipIf(isMissing)('the documented commands for a manual installation work', () => {
      const [script, left] = manualScript()
      expect(left).toEqual([])
      const unit = join(root, 'examples/multitude.service')
      expect(runScript(script, [machine.executable, unit])).toBe('')
    })
  })
}
