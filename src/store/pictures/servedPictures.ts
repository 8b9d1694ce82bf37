import { and, eq, gt, isNull } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { pictures } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import type { PictureType } from '../../model/pictures/picture'
import type { NamedPicture } from './pictureRows'

/** Bytes of a picture in base64, with their type. */
export interface PictureFile {
  readonly type: PictureType
  readonly bytes: string
}

/** Finds the bytes of a picture, unless its system is disabled. */
export function findServedPicture(db: Db, named: NamedPicture): MaybePromise<PictureFile | null> {
  return byName(db).get(named)
}

/** Returns whether `findServedPicture` finds a picture, without reading its bytes. */
export async function isServed(db: Db, named: NamedPicture): Promise<boolean> {
  return (await served(db).get(named)) !== null
}

/** Finds the first picture of a system after a name, also if the system is disabled. */
export async function findNextPicture(
  db: Db,
  system: number,
  after: string,
): Promise<(PictureFile & NamedPicture) | null> {
  return await nextPicture(db).get({ system, after })
}

/** Pictures of disabled systems are not served. */
const ofServedSystem = and(
  eq(visibleSystems.id, pictures.system_id),
  isNull(visibleSystems.disabled_at),
)

const byName = query((db, values: Placeholders<'name' | 'type'>) => {
  const { name, type, bytes } = pictures
  return db
    .select({ type, bytes })
    .from(pictures)
    .innerJoin(visibleSystems, ofServedSystem)
    .where(and(eq(name, values.name), eq(type, values.type)))
})

const served = query((db, values: Placeholders<'name' | 'type'>) => {
  const { name, type } = pictures
  return db
    .select({ name })
    .from(pictures)
    .innerJoin(visibleSystems, ofServedSystem)
    .where(and(eq(name, values.name), eq(type, values.type)))
})

const nextPicture = query((db, values: Placeholders<'system' | 'after'>) => {
  const { name, type, bytes, system_id } = pictures
  return db
    .select({ name, type, bytes })
    .from(pictures)
    .where(and(eq(system_id, values.system), gt(name, values.after)))
    .orderBy(name)
    .limit(1)
})
