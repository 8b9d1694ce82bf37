import type { Database, Statement } from 'bun:sqlite'
import type { RenderJson } from '../../model/core/schemaHash'
import { sqliteDialect } from '../dialect'
import { noRenderer } from '../renderedJson'
import type { Db, Driver, Query, Value } from '../types'

export function createDb(connection: Database, renderJson: RenderJson = noRenderer): Db {
  return { driver: driverOf(connection), renderJson }
}

function driverOf(connection: Database): Driver {
  return {
    dialect: sqliteDialect,
    query<Row>(sql: string): Query<Row> {
      // Binding one array is faster than single values; only the driver's types do not allow it.
      const query: Statement<Row> = connection.query<Row, Value[]>(sql)
      return query
    },
  }
}
