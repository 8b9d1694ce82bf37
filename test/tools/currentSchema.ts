import { migratedSchema } from '../../src/db/sqlite/integrity'

/** Schema of the migrations, which the checks of a database take as an option, because it takes long. */
export const currentSchema = migratedSchema()
