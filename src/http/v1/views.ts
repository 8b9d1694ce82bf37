import { type Member, member } from '../../model/member'
import { see } from '../../model/privacy'
import { type System, system } from '../../model/system'
import { memberToV1, systemToV1 } from '../../wire/v1'

export const TAG = 'Version 1 (deprecated)'

export function showSystem(row: System, owner: boolean) {
  return systemToV1(see(system, row, owner))
}

export function showMember(row: Member, owner: boolean) {
  return memberToV1(see(member, row, owner))
}
