import type { Ext } from '../catalogue'
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

export const ext: Ext = {
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
