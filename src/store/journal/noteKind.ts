import { ownedRowKind } from '../members/memberReference'

export const noteKind = ownedRowKind('notes')
