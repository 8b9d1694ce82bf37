import { describeServer } from '../../app/app'
import { operator } from '../../model/core/privacy'
import { describeConfig, hidePassword } from '../../runtime/config/config'
import { commit, version } from '../../runtime/version'
import { countSystems } from '../../service/systems/systems'
import { type Command, columns } from '../command'
import { describeUpgrade, noBackup, upgradeUncopied } from '../database'

export const programCommands: Command[] = [
  {
    name: 'config',
    summary: 'Show every setting with its current value and source',
    takesSettings: 'all',
    async run(call) {
      const rows = describeConfig(call)
      return {
        json: rows,
        text: columns([
          ['SETTING', 'VALUE', 'FROM', 'MEANING'],
          ...rows.map(({ name, value, from, doc }) => [name, value, from, doc]),
        ]),
      }
    },
  },
  {
    name: 'migrate',
    summary: 'Run pending database migrations and exit',
    flags: noBackup,
    database: () => 'upgrade',
    async run({ deps, config, flags }) {
      const uncopied = flags['no-backup'] === true ? await upgradeUncopied(config) : null
      if (uncopied)
        process.stderr.write(
          `multitude: ${describeUpgrade(hidePassword(config.DATABASE_URL), uncopied)}\n`,
        )
      await countSystems(deps(), operator)
      return {
        json: { database: hidePassword(config.DATABASE_URL), version },
        text: `Database ${hidePassword(config.DATABASE_URL)} is up to date for version ${version}.`,
      }
    },
  },
  {
    name: 'openapi',
    summary: 'Print the OpenAPI document',
    async run({ config }) {
      const document = await describeServer(config)
      return { json: document, text: JSON.stringify(document, null, 2) }
    },
  },
  {
    name: 'version',
    summary: 'Print the version and commit',
    async run() {
      return { json: { version, commit }, text: `multitude ${version} (${commit})` }
    },
  },
]
