import type { Db } from '../../../db/types'
import { error } from '../../../model/core/errors'
import { privateByDefault } from '../../../model/systems/settings'
import { privacyOf } from '../../../model/systems/system'
import { insertAccount, linkImported } from '../../../store/access/accountRows'
import { fillPreferences } from '../../../store/access/preferenceRows'
import { removeSetupCodes } from '../../../store/access/setupCodeRows'
import { insertToken } from '../../../store/access/tokenRows'
import { extSettingsOf, storeExtSettings } from '../../../store/systems/extSettingRows'
import { getSettings, storeColorHex, updateSettings } from '../../../store/systems/settingRows'
import {
  findSystem,
  freeSystemIdentity,
  getSystemById,
  nameSystem,
  updateSystem,
} from '../../../store/systems/systemRows'
import { planAccounts } from '../../access/accounts'
import { requireRegistration } from '../../access/requireRegistration'
import { type ImportRun, recordRename } from './importRun'
import type { ImportStep } from './importStep'

/** The system, its settings and its accounts. */
export class System implements ImportStep {
  readonly reads = 'head'

  constructor(readonly run: ImportRun) {}

  async plan(): Promise<void> {
    const { run } = this
    const { deps, systemId, file, report, options } = run
    const { head } = file
    await this.#rejectExisting()
    if (!options.dryRun) return
    if (options.only === null)
      report.accounts = await planAccounts(deps.db, systemId, head.accounts, options.link)
    if (systemId !== null) return
    const identity = this.#givenIdentity()
    recordRename(run, 'system', null, identity, await freeSystemIdentity(deps.db, identity))
  }

  async apply(tx: Db, systemId: number): Promise<boolean> {
    if (this.run.systemId === null) await this.#create(tx, systemId)
    return this.run.options.only === null && (await this.#update(tx, systemId))
  }

  /** Throws if the system of the file exists already, because an import into it is more likely meant. */
  async #rejectExisting(): Promise<void> {
    const { deps, systemId, file, options } = this.run
    const { uuid } = file.head.system
    if (systemId !== null || options.allowsCopy === true || uuid === undefined) return
    const system = await findSystem(deps.db, uuid)
    if (!system) return
    const { hid } = system
    if (options.owner)
      throw error('conflict', 'the system of this file exists: link the account to it instead')
    throw error(
      'conflict',
      `already here as ${hid}: use --system ${hid}, or --yes for a second copy`,
    )
  }

  #givenIdentity() {
    const { hid, uuid } = this.run.file.head.system
    return { ...(hid && { hid }), ...(uuid && { uuid }) }
  }

  /** Gives the new system the IDs of the file as far as they are free, its owner's account, and a token. */
  async #create(tx: Db, systemId: number): Promise<void> {
    const { deps, file, report, options } = this.run
    const identity = this.#givenIdentity()
    const { created } = file.head.system
    const assigned = await nameSystem(tx, systemId, identity, created ?? deps.now())
    recordRename(this.run, 'system', null, identity, assigned)
    if (options.owner) {
      const { account, invite } = options.owner
      await requireRegistration(deps, tx, invite)
      await insertAccount(deps, tx, systemId, account)
    }
    if (options.isPrivate) {
      await updateSystem(deps, tx, systemId, privacyOf('private'))
      await updateSettings(deps, tx, systemId, privateByDefault)
    }
    await removeSetupCodes(tx)
    report.token = await insertToken(deps, tx, systemId, 'default')
  }

  async #update(tx: Db, systemId: number): Promise<boolean> {
    const { deps, file, report, options } = this.run
    const { head } = file
    const { patch, created } = head.system
    const before = [
      await getSystemById(tx, systemId),
      await getSettings(deps, tx, systemId),
    ] as const
    // The file may know an earlier date of creation.
    const isEarlier = created !== undefined && created < (before[0].created ?? Infinity)
    const after = [
      (await updateSystem(deps, tx, systemId, { ...patch, ...(isEarlier && { created }) })).row,
      await updateSettings(deps, tx, systemId, head.settings),
    ]
    const isColored =
      head.colorHex !== undefined && (await storeColorHex(tx, systemId, head.colorHex))
    report.accounts = await planAccounts(tx, systemId, head.accounts, options.link)
    const areLinked = await linkImported(deps, tx, systemId, head.accounts, report.accounts)
    const isExtChanged = await this.#updateExtSettings(tx, systemId)
    const isChanged = JSON.stringify(before) !== JSON.stringify(after)
    return isChanged || isColored || areLinked || isExtChanged
  }

  async #updateExtSettings(tx: Db, systemId: number): Promise<boolean> {
    const { extSettings } = this.run.file.head
    if (!extSettings) return false
    const stored = await extSettingsOf(tx, systemId)
    const { front_status_privacy = 'private' } = extSettings
    if (stored.front_status_privacy === front_status_privacy) return false
    await storeExtSettings(tx, systemId, { front_status_privacy })
    return true
  }
}

/** Preferences of the dashboard. They are applied when members and groups of the file are visible. */
export class Preferences implements ImportStep {
  readonly reads = 'head'

  constructor(readonly run: ImportRun) {}

  async apply(tx: Db, systemId: number): Promise<boolean> {
    const { file, ids, options } = this.run
    const { preferences } = file.head
    if (options.only !== null || !preferences) return false
    const { pinned, statuses, ...word } = preferences
    return fillPreferences(tx, systemId, {
      ...word,
      pinned: pinned.flatMap((key) => ids.members.get(key) ?? []),
      statuses: statuses.flatMap((key) => ids.groups.get(key) ?? []),
    })
  }
}
