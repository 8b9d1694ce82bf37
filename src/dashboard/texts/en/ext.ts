import { archive } from './archive'
import { fields } from './fields'
import { frontNotes } from './frontNotes'
import { groupTree } from './groupTree'
import { journal } from './journal'
import { memberExt } from './memberExt'
import { offline } from './offline'
import { pictures } from './pictures'
import { push } from './push'
import { reminders } from './reminders'
import { sharing } from './sharing'

/** English texts of the extensions, in a script of their own because of its size. */
export const ext = {
  archive,
  fields,
  frontNotes,
  groupTree,
  journal,
  memberExt,
  reminders,
  push,
  sharing,
  offline,
  pictures,
}
