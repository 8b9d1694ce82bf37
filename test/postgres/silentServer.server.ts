import { openStorage } from '../../src/db/open'
import { rows } from '../rawSql'
import { emptyFolder } from '../serverProcess'
import { expect, test } from '../test'
import { isSqlite, newDatabaseAddress } from '../testApp'

test.if(!isSqlite)(
  'keeps the connection to PostgreSQL when this process was blocked for longer than the silence limit',
  async () => {
    const storage = openStorage(newDatabaseAddress(emptyFolder()), { durability: 'normal' })
    await storage.ready
    // The first heartbeat has been sent, or is being sent.
    await Bun.sleep(101)
    for (let turn = 0; turn < 3; turn++) {
      Bun.sleepSync(3_300)
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    expect(await rows(storage.db, 'select 1 as one')).toEqual([{ one: 1 }])
    await storage.close()
  },
)
