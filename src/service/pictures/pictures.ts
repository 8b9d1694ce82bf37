import type { Db, MaybePromise } from '../../db/types'
import { error } from '../../model/core/errors'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import { parsePictureFile, pictureNamesIn, pictureUrl } from '../../model/pictures/picture'
import { findEntityById } from '../../store/core/entityRows'
import { groupRowKind } from '../../store/groups/groupRows'
import { memberRowKind } from '../../store/members/memberRows'
import {
  deletePicturesUnnamedBy,
  isStored,
  newPictureName,
  storePicture,
} from '../../store/pictures/pictureRows'
import {
  findNextPicture,
  findServedPicture,
  isServed,
  type PictureFile,
} from '../../store/pictures/servedPictures'
import { getSystemById, updateSystem } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'
import { changeEntityIn, locateOwnEntity } from '../core/entities'
import { groupKind } from '../groups/groupKind'
import { memberKind } from '../members/memberKind'
import { requirePicture, requirePublicUrl } from './requirePicture'

/** Bytes of an upload, which is read only after the caller was found to be allowed to send it. */
export type Upload = AsyncIterable<Uint8Array>

/** Owner of a picture: finds its URL, and changes it with the event of that change. */
interface Subject {
  readonly systemId: number
  getUrl(tx: Db): Promise<string | null>
  setUrl(tx: Db, url: string | null): Promise<unknown>
}

/** Stores a picture and makes it that of a member. Returns its URL. */
export async function putMemberPicture(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  upload: Upload,
): Promise<string> {
  return putPicture(deps, await memberSubject(deps, viewer, ref), upload)
}

export async function deleteMemberPicture(deps: Deps, viewer: Viewer, ref: string): Promise<void> {
  await deletePicture(deps, await memberSubject(deps, viewer, ref))
}

/** Stores a picture and makes it the icon of a group. Returns its URL. */
export async function putGroupPicture(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  upload: Upload,
): Promise<string> {
  return putPicture(deps, await groupSubject(deps, viewer, ref), upload)
}

export async function deleteGroupPicture(deps: Deps, viewer: Viewer, ref: string): Promise<void> {
  await deletePicture(deps, await groupSubject(deps, viewer, ref))
}

/** Stores a picture and makes it that of the caller's system. Returns its URL. */
export async function putSystemPicture(
  deps: Deps,
  viewer: Viewer,
  upload: Upload,
): Promise<string> {
  return putPicture(deps, systemSubject(deps, viewer), upload)
}

export async function deleteSystemPicture(deps: Deps, viewer: Viewer): Promise<void> {
  await deletePicture(deps, systemSubject(deps, viewer))
}

/** Finds a picture by the name of its file. Every caller that knows the name may read it. */
export function findPicture(
  { db }: Deps,
  _viewer: Viewer,
  file: string,
): MaybePromise<PictureFile | null> {
  const named = parsePictureFile(file)
  return named && findServedPicture(db, named)
}

/** Returns whether `findPicture` finds a picture, without reading its bytes. */
export async function hasPicture({ db }: Deps, _viewer: Viewer, file: string): Promise<boolean> {
  const named = parsePictureFile(file)
  return named !== null && (await isServed(db, named))
}

/** Iterates over the pictures of the caller's system, one at a time, with the names of their files. */
export async function* exportPictures(
  { db }: Deps,
  viewer: Viewer,
): AsyncGenerator<{ file: string; bytes: Uint8Array }> {
  const system = requireSystem(viewer, 'export')
  for (let after = ''; ; ) {
    const picture = await findNextPicture(db, system, after)
    if (!picture) return
    const { name, type, bytes } = picture
    yield { file: `${name}.${type}`, bytes: Buffer.from(bytes, 'base64') }
    after = name
  }
}

async function putPicture(deps: Deps, subject: Subject, upload: Upload): Promise<string> {
  const { systemId, getUrl, setUrl } = subject
  requirePublicUrl(deps)
  const picture = requirePicture(Buffer.concat(await Array.fromAsync(upload)))
  return deps.transact({ system: systemId }, async (tx) => {
    // Throws if the subject was deleted while the picture arrived.
    await getUrl(tx)
    const name = newPictureName()
    const url = pictureUrl(deps.publicUrl, name, picture.type)
    // Before the limit is checked, because a replaced picture does not count.
    await deletePicturesUnnamedBy(tx, systemId, () => setUrl(tx, url))
    const stored = await storePicture(deps, tx, systemId, picture, name)
    if ('problem' in stored) throw stored.problem
    return stored.url
  })
}

async function deletePicture(deps: Deps, { systemId, getUrl, setUrl }: Subject): Promise<void> {
  await deps.transact({ system: systemId }, async (tx) => {
    const [name] = pictureNamesIn((await getUrl(tx)) ?? '')
    if (name === undefined || !(await isStored(tx, systemId, name))) throw error('notFound')
    await deletePicturesUnnamedBy(tx, systemId, () => setUrl(tx, null))
  })
}

async function memberSubject(deps: Deps, viewer: Viewer, ref: string): Promise<Subject> {
  const { id, system_id: systemId } = await locateOwnEntity(deps, viewer, memberRowKind, ref)
  const get = async (tx: Db) => {
    const member = await findEntityById(tx, memberRowKind, id)
    if (!member) throw error('memberNotFound')
    return member
  }
  return {
    systemId,
    getUrl: async (tx) => (await get(tx)).avatar_url,
    setUrl: async (tx, avatar_url) =>
      changeEntityIn(deps, tx, memberKind, await get(tx), { avatar_url }),
  }
}

async function groupSubject(deps: Deps, viewer: Viewer, ref: string): Promise<Subject> {
  const { id, system_id: systemId } = await locateOwnEntity(deps, viewer, groupRowKind, ref)
  const get = async (tx: Db) => {
    const group = await findEntityById(tx, groupRowKind, id)
    if (!group) throw error('groupNotFound')
    return group
  }
  return {
    systemId,
    getUrl: async (tx) => (await get(tx)).icon,
    setUrl: async (tx, icon) => changeEntityIn(deps, tx, groupKind, await get(tx), { icon }),
  }
}

function systemSubject(deps: Deps, viewer: Viewer): Subject {
  const systemId = requireSystem(viewer)
  return {
    systemId,
    getUrl: async (tx) => (await getSystemById(tx, systemId)).avatar_url,
    setUrl: (tx, avatar_url) => updateSystem(deps, tx, systemId, { avatar_url }),
  }
}
