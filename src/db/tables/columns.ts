import type { $Type, ColumnBuilder, HasDefault, NotNull } from 'drizzle-orm'
import { integer, type SQLiteColumnBuilderBase, text } from 'drizzle-orm/sqlite-core'
import type { Entity, Row } from '../../model/core/entity'
import type { Field } from '../../model/core/field'

type Column<T> = null extends T
  ? $Type<SQLiteColumnBuilderBase & ColumnBuilder, NonNullable<T>>
  : HasDefault<NotNull<$Type<SQLiteColumnBuilderBase & ColumnBuilder, T>>>

type Columns<E> = { [K in keyof Row<E>]: Column<Row<E>[K]> }

/** Columns of a field table: one per field and one per privacy level, with the same names. */
export function columnsOf<E extends Entity>(entity: E): Columns<E> {
  const columns: Record<string, unknown> = {}
  for (const [key, field] of entity.entries) columns[key] = columnOf(field)
  for (const level of entity.levels)
    columns[level] = text({ enum: ['public', 'private'] })
      .notNull()
      .default('public')
  return columns as Columns<E>
}

function columnOf(field: Field) {
  const column = emptyColumnOf(field)
  // A default allows adding the column to a table that already has rows.
  return field.defaultValue === null
    ? column
    : column.notNull().default(field.defaultValue as never)
}

function emptyColumnOf({ columnType }: Field) {
  switch (columnType) {
    case 'text':
      return text()
    case 'integer':
      return integer()
    case 'flag':
      return integer({ mode: 'boolean' })
    case 'json':
      return text({ mode: 'json' })
  }
}

/** Returns the columns without those that are stored as row IDs. */
export function omit<C extends object, K extends keyof C>(columns: C, ...keys: K[]): Omit<C, K> {
  const rest = { ...columns }
  for (const key of keys) delete rest[key]
  return rest
}
