import type { RenderJson } from '../../model/core/schemaHash'
import { postgresDialect } from '../dialect'
import { noRenderer } from '../renderedJson'
import type { Db, Driver, Value } from '../types'

export type RunQuery = <Row>(sql: string, values: Value[]) => Promise<Row[]>

export function createDb(
  runQuery: RunQuery,
  renderJson: RenderJson = noRenderer,
  onCounter?: Driver['onCounter'],
): Db {
  return { driver: driverOf(runQuery, onCounter), renderJson }
}

function driverOf(runQuery: RunQuery, onCounter: Driver['onCounter']): Driver {
  return {
    dialect: postgresDialect,
    query: <Row>(sql: string) => ({
      get: async (values: Value[]) => (await runQuery<Row>(sql, values))[0] ?? null,
      all: (values: Value[]) => runQuery<Row>(sql, values),
      run: (values: Value[]) => runQuery<Row>(sql, values),
    }),
    ...(onCounter && { onCounter }),
  }
}
