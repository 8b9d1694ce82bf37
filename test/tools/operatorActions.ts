import { operator, type Viewer } from '../../src/model/core/privacy'
import * as accounts from '../../src/service/access/accounts'
import * as bots from '../../src/service/access/bots'
import * as linkCodes from '../../src/service/access/linkCodes'
import * as registration from '../../src/service/access/registration'
import * as tokens from '../../src/service/access/tokens'
import type { Deps } from '../../src/service/core/deps'
import * as autoproxy from '../../src/service/proxy/autoproxy'
import * as decide from '../../src/service/proxy/decideMessage'
import * as guilds from '../../src/service/proxy/guilds'
import * as activity from '../../src/service/systems/systemActivity'
import * as systems from '../../src/service/systems/systems'
import * as conversion from '../../src/service/transfer/archive/convertArchive'
import * as exporting from '../../src/service/transfer/export/export'
import * as importing from '../../src/service/transfer/import/import'

/** Service functions called as the operator, on systems given by their row IDs. */

type Rest<F> = F extends (deps: Deps, viewer: Viewer, ...rest: infer R) => unknown ? R : never

function as(system: number): Viewer {
  return { ...operator, system }
}

export function createBot(deps: Deps, ...rest: Rest<typeof bots.createBot>) {
  return bots.createBot(deps, operator, ...rest)
}

export function revokeBot(deps: Deps, name: string) {
  return bots.revokeBot(deps, operator, name)
}

export async function createToken(deps: Deps, system: number, name: string) {
  return (await tokens.replaceToken(deps, as(system), { name })).secret
}

export function revokeToken(deps: Deps, system: number, name: string) {
  return tokens.revokeToken(deps, as(system), name)
}

export function createSystem(deps: Deps, ...rest: Rest<typeof registration.createSystem>) {
  return registration.createSystem(deps, operator, ...rest)
}

export function deleteSystem(deps: Deps, system: number) {
  return systems.deleteSystem(deps, as(system))
}

export function listSystems(deps: Deps) {
  return activity.describeSystems(deps, operator)
}

export function countSystems(deps: Deps) {
  return systems.countSystems(deps, operator)
}

export function linkAccount(deps: Deps, system: number, account: string) {
  return accounts.linkAccount(deps, as(system), account)
}

export function unlinkAccount(deps: Deps, system: number, account: string) {
  return accounts.unlinkAccount(deps, as(system), account)
}

export function forgetAccount(deps: Deps, account: string) {
  return accounts.deleteAccountLink(deps, operator, account)
}

export function createLinkCode(deps: Deps, system: number) {
  return linkCodes.createLinkCode(deps, as(system))
}

export function patchAutoproxy(
  deps: Deps,
  system: number,
  ...rest: Rest<typeof autoproxy.patchAutoproxy>
) {
  return autoproxy.patchAutoproxy(deps, as(system), ...rest)
}

export function patchSystemGuild(
  deps: Deps,
  system: number,
  ...rest: Rest<typeof guilds.patchSystemGuild>
) {
  return guilds.patchSystemGuild(deps, as(system), ...rest)
}

export function patchMemberGuild(
  deps: Deps,
  { system_id, uuid }: { system_id: number; uuid: string },
  guild: string,
  ...[patch, onMissing]: [Rest<typeof guilds.patchMemberGuild>[2], guilds.OnMissing]
) {
  return guilds.patchMemberGuild(deps, as(system_id), uuid, guild, patch, onMissing)
}

export function decideMessage(deps: Deps, ...rest: Rest<typeof decide.decideMessage>) {
  return decide.decideMessage(deps, operator, ...rest)
}

export function exportSystem(
  deps: Deps,
  system: number,
  ...rest: Rest<typeof exporting.exportSystem>
) {
  return exporting.exportSystem(deps, as(system), ...rest)
}

/** Target of an import: an existing system, or a new one with a token. */
export type ImportTarget = { systemId: number } | 'new'

export function importFile(
  deps: Deps,
  file: Rest<typeof importing.importFile>[0],
  target: ImportTarget,
  options: Rest<typeof importing.importFile>[1],
) {
  return target === 'new'
    ? importing.importNewSystem(deps, operator, file, options)
    : importing.importFile(deps, as(target.systemId), file, options)
}

export function convertArchive(deps: Deps, system: number) {
  return conversion.convertArchive(deps, as(system), { dryRun: false })
}
