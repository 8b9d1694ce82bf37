import type { Db } from '../../db/types'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import { findEntityById } from '../../store/core/entityRows'
import { groupRowKind } from '../../store/groups/groupRows'
import { memberRowKind } from '../../store/members/memberRows'
import { listPictureAddresses, type PictureAddress } from '../../store/pictures/pictureAddressRows'
import { storePicture } from '../../store/pictures/pictureRows'
import { getSystemById, updateSystem } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'
import { changeEntityIn } from '../core/entities'
import { groupKind } from '../groups/groupKind'
import { memberKind } from '../members/memberKind'
import { requirePicture, requirePublicUrl } from './requirePicture'

/** Stores a picture for a field of the caller's system that will name it. Returns its URL. */
export async function keepPicture(deps: Deps, viewer: Viewer, bytes: Uint8Array): Promise<string> {
  const systemId = requireSystem(viewer)
  requirePublicUrl(deps)
  const picture = requirePicture(bytes)
  return deps.transact({ system: systemId }, async (tx) => {
    const stored = await storePicture(deps, tx, systemId, picture)
    if ('problem' in stored) throw stored.problem
    return stored.url
  })
}

/** Lists the pictures of the caller's system whose addresses have one of these origins. */
export async function listForeignPictures(
  { db }: Deps,
  viewer: Viewer,
  origins: readonly string[],
): Promise<PictureAddress[]> {
  const systemId = requireSystem(viewer)
  const lists = origins.map((origin) => listPictureAddresses(db, systemId, `${origin}/`))
  return (await Promise.all(lists)).flat()
}

/**
 * Stores a picture and replaces the address that it was downloaded from. Does nothing if the field
 * has changed meanwhile.
 */
export async function keepForeignPicture(
  deps: Deps,
  viewer: Viewer,
  address: PictureAddress,
  bytes: Uint8Array,
): Promise<void> {
  const systemId = requireSystem(viewer)
  requirePublicUrl(deps)
  const picture = requirePicture(bytes)
  await deps.transact({ system: systemId }, async (tx) => {
    const write = await findWriter(deps, tx, systemId, address)
    if (!write) return
    const stored = await storePicture(deps, tx, systemId, picture)
    if ('problem' in stored) throw stored.problem
    await write({ [address.key]: stored.url })
  })
}

type Write = (patch: Readonly<Record<string, string>>) => Promise<unknown>

/** Returns how to change the field; null if it does not have the address any more. */
async function findWriter(
  deps: Deps,
  tx: Db,
  systemId: number,
  { owner, id, key, url }: PictureAddress,
): Promise<Write | null> {
  const isUnchanged = (row: object) =>
    new Map<string, unknown>(Object.entries(row)).get(key) === url
  switch (owner) {
    case 'system': {
      const system = await getSystemById(tx, systemId)
      return isUnchanged(system) ? (patch) => updateSystem(deps, tx, systemId, patch) : null
    }
    case 'member': {
      const member = await findEntityById(tx, memberRowKind, id)
      if (!member || !isUnchanged(member)) return null
      return (patch) => changeEntityIn(deps, tx, memberKind, member, patch)
    }
    case 'group': {
      const group = await findEntityById(tx, groupRowKind, id)
      if (!group || !isUnchanged(group)) return null
      return (patch) => changeEntityIn(deps, tx, groupKind, group, patch)
    }
  }
}
