import { isNotNull } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { pictureEndings } from '../../model/pictures/picture'
import { ofSystem } from './systems'

/** Pictures that the server serves. The large column is last, so that others are read without it. */
export const pictures = sqliteTable(
  'pictures',
  {
    name: text().primaryKey(),
    system_id: ofSystem(),
    type: text({ enum: pictureEndings }).notNull(),
    /** Size in bytes, which counts towards the limit of the system. */
    size: integer().notNull(),
    created: integer().notNull(),
    /** Time at which the cleanup first found that no URL of its system names it. */
    unused_since: integer(),
    /** In base64, because copies between the engines are JSON. */
    bytes: text().notNull(),
  },
  (table) => [
    index('pictures_by_system').on(table.system_id, table.name, table.size),
    index('pictures_by_unused').on(table.unused_since).where(isNotNull(table.unused_since)),
  ],
)
