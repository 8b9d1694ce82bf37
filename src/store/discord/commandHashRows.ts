import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { discordCommands as commands } from '../../db/tables'
import type { Db } from '../../db/types'

/** Lists the hashes of the definitions that an application registered last. */
export async function listHashes(
  db: Db,
  application: string,
): Promise<{ scope: string; hash: string }[]> {
  return await byApplication(db).all({ application })
}

const byApplication = query((db, { application }: Placeholders<'application'>) =>
  db
    .select({ scope: commands.scope, hash: commands.hash })
    .from(commands)
    .where(eq(commands.application, application))
    .orderBy(commands.scope),
)

export const storeHash = createUpserter(commands, ['application', 'scope'], ['hash'])
