import { createYielder } from '../../db/yieldToEventLoop'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import { listPictureSizes } from '../../store/pictures/pictureSizes'
import type { Deps } from '../core/deps'

/** Number and bytes of the pictures of all systems. */
export interface PictureTotals {
  readonly count: number
  readonly bytes: number
}

export const noPictures: PictureTotals = { count: 0, bytes: 0 }

/** Adds up the pictures of all systems by index, in pages, yielding in between. */
export async function sumPictures({ db }: Deps, viewer: Viewer): Promise<PictureTotals> {
  requireOperator(viewer)
  const yieldIfDue = createYielder()
  let { count, bytes } = noPictures
  for (let [system, name] = [0, '']; ; ) {
    const page = await listPictureSizes(db, system, name)
    const last = page.at(-1)
    if (!last) return { count, bytes }
    count += page.length
    for (const { size } of page) bytes += size
    system = last.system_id
    name = last.name
    await yieldIfDue()
  }
}
