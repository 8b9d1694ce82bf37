import { expect, test } from 'bun:test'
import { openStorage } from '../../src/db/open'
import { rows } from '../rawSql'
import { emptyFolder } from '../serverProcess'
import { addressIn, isOnFile } from '../testApp'

test.if(!isOnFile)(
  'who was busy for long does not take that for the server’s silence',
  async () => {
    const storage = openStorage(addressIn(emptyFolder()), 'normal')
    await storage.ready
    // The first beat has just been sent, or is.
    await Bun.sleep(101)
    for (let turn = 0; turn < 3; turn++) {
      Bun.sleepSync(3_300)
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    expect(await rows(storage.db, 'select 1 as one')).toEqual([{ one: 1 }])
    await storage.close()
  },
)
